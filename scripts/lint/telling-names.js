const DRAWERS = ['util', 'utils', 'helper', 'helpers', 'common', 'lib', 'manager', 'misc', 'shared']

/**
 * A folder or file is named after what it owns. Drawers (`utils`, `task-helpers.ts`) collect what nobody owns, and an
 * `index` file is a barrel.
 *
 * @type {import('eslint').Rule.RuleModule}
 */
export const tellingNames = {
  meta: {
    type: 'suggestion',
    schema: [],
    messages: {
      drawer: '"{{part}}" says nothing of what is in it. Name it after the one thing that it owns.',
      index: 'An index file is a barrel. Name the file after what it owns, and import that file.',
    },
  },
  create(context) {
    return {
      Program(node) {
        const parts = context.filename.slice(context.cwd.length).split(/[\\/]/).filter(Boolean)
        for (const part of parts) {
          if (part.split(/[-._]/).some((word) => DRAWERS.includes(word.toLowerCase()))) {
            context.report({ node, messageId: 'drawer', data: { part } })
          }
        }
        if (/^index\./.test(parts.at(-1) ?? '')) context.report({ node, messageId: 'index' })
      },
    }
  },
}
