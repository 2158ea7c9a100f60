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
      reached:
        'This keeps a server module in the browser’s build, where it is empty. Import it by name, and use it in loader, action or headers.',
    },
  },
  create(context) {
    const { sourceCode } = context
    return {
      ImportDeclaration(node) {
        if (/** @type {any} */ (node).importKind === 'type' || !isServer(node.source)) return
        if (node.specifiers.length === 0) context.report({ node, messageId: 'reached' })
        for (const variable of sourceCode.getDeclaredVariables(node)) {
          for (const reference of variable.references) {
            const { identifier } = reference
            if (isType(reference) || isInServerExport(identifier)) continue
            context.report({ node: identifier, messageId: 'leak', data: { name: variable.name } })
          }
        }
      },
      ImportExpression(node) {
        if (isServer(node.source) && !isInServerExport(node)) context.report({ node, messageId: 'reached' })
      },
      ExportNamedDeclaration(node) {
        if (/** @type {any} */ (node).exportKind === 'type' || !node.source || !isServer(node.source)) return
        for (const specifier of node.specifiers) {
          const name = nameOf(specifier.exported)
          if (/** @type {any} */ (specifier).exportKind === 'type' || SERVER_EXPORTS.includes(name)) continue
          context.report({ node: specifier, messageId: 'leak', data: { name } })
        }
      },
    }
  },
}

const SERVER_EXPORTS = ['loader', 'action', 'headers']

/** @param {any} source */
const isServer = (source) => /\.server(\.[jt]sx?)?$/.test(String(source.value))

/** @param {any} node an identifier, or a name in quotes */
const nameOf = (node) => String(node.name ?? node.value)

/** What the compiler takes out with the types: a type's name, or `typeof value` among types. @param {any} reference */
function isType(reference) {
  if (reference.isValueReference === false) return true
  let at = reference.identifier
  while (at.parent?.type === 'TSQualifiedName') at = at.parent
  return at.parent?.type === 'TSTypeQuery'
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
