/**
 * Remix's classic compiler empties a `.server` module that the browser's build reaches, without a word: what was imported
 * from it is then undefined at run time. So a route may use such a value only where the compiler removes it: inside its
 * exported `loader`, `action` and `headers`.
 *
 * @type {import('eslint').Rule.RuleModule}
 */
export const noServerLeak = {
  meta: {
    type: 'problem',
    schema: [],
    messages: {
      leak: '"{{name}}" comes from a server module and is used outside of loader, action and headers: in the browser it is undefined. Pass what the page needs through the loader’s data.',
    },
  },
  create(context) {
    const { sourceCode } = context
    return {
      ImportDeclaration(node) {
        if (node.importKind === 'type' || !/\.server$/.test(String(node.source.value))) return
        for (const variable of sourceCode.getDeclaredVariables(node)) {
          for (const { identifier } of variable.references) {
            if (isType(identifier) || isInServerExport(identifier)) continue
            context.report({ node: identifier, messageId: 'leak', data: { name: variable.name } })
          }
        }
      },
    }
  },
}

const SERVER_EXPORTS = ['loader', 'action', 'headers']

/** @param {any} node */
function isType(node) {
  return String(node.parent?.type).startsWith('TS')
}

/** @param {any} node */
function isInServerExport(node) {
  for (let at = node; at; at = at.parent) {
    if (at.parent?.type !== 'ExportNamedDeclaration') continue
    const names =
      at.type === 'FunctionDeclaration'
        ? [at.id.name]
        : (at.declarations ?? []).map((/** @type {any} */ each) => each.id.name)
    return names.length > 0 && names.every((/** @type {string} */ name) => SERVER_EXPORTS.includes(name))
  }
  return false
}
