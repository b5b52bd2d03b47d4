import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import ts from 'typescript'
import { examples, NOTICE, section, textOf } from './pages.ts'

const CLIENT = join(import.meta.dirname, '../../../../libs/client/src')
const ENTRIES = { index: '@whereabouts/client', testing: '@whereabouts/client/testing' } as const

type Named = { name: string; node: ts.Declaration; from: string }

/** The page of the client for JavaScript, from its doc comments. Throws for a function without an example. */
export function typescriptPage(): string {
  const all = Object.entries(ENTRIES).flatMap(([file, from]) =>
    exportsOf(join(CLIENT, `${file}.ts`)).map(({ name, node }) => ({ name, node, from })),
  )
  const exampleOf = examples('typescript.ts', 'ts')
  const callable = all.filter(({ node }) => ts.isFunctionDeclaration(node) || ts.isVariableDeclaration(node))
  const functions = callable.map(({ name, node, from }) =>
    section(
      3,
      name,
      'ts',
      `import { ${name} } from '${from}'\n\n${signatureOf(node)}`,
      docOf(node),
      exampleOf(name),
    ),
  )
  const whereabouts = all.find(({ name }) => name === 'Whereabouts')?.node
  const methods = membersOf(whereabouts)
    .filter(({ member }) => ts.isMethodSignature(member) || member.getText().startsWith('api:'))
    .map(({ path, member }) => section(3, path, 'ts', codeOf(member), docOf(member), exampleOf(path)))
  const types = all.filter(({ node, name }) => ts.isTypeAliasDeclaration(node) && name !== 'Whereabouts')
  const errors = all.filter(({ node }) => ts.isClassDeclaration(node))
  return [
    HEAD,
    '## Functions\n',
    ...functions,
    '## Methods\n\nOf what `createWhereabouts` returns.\n',
    ...methods,
    '## Errors\n',
    ...errors.map(tableOf),
    '## Options and other types\n',
    ...types.map(tableOf),
  ].join('\n')
}

const HEAD = `# The client for TypeScript and JavaScript

${NOTICE}

For Node 20 and newer and for browsers, as ES modules and CommonJS. It needs no registry: \`/downloads/\` of your system has the file, its version and its SHA-256.

\`\`\`sh
npm install "$BASE/downloads/whereabouts-client-1.0.0.tgz"
\`\`\`

\`BASE\` is the address before \`/api/v1\`. An upgrade of the system replaces the file: keep the one that you use beside your program. The package also has
[the command line](command-line.md). The same for [Python](python.md). What the client does about tokens, retries and the rate is in
[Integrating](../integrating.md#a-token).
`

/** What a module exports, in its order, with the declarations. */
function exportsOf(file: string): Omit<Named, 'from'>[] {
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true)
  return source.statements.flatMap((statement) => {
    if (
      ts.isExportDeclaration(statement) &&
      statement.exportClause &&
      ts.isNamedExports(statement.exportClause)
    ) {
      const target = (statement.moduleSpecifier as ts.StringLiteral).text
      if (target.endsWith('.d.ts')) return []
      const found = exportsOf(join(dirname(file), target))
      return statement.exportClause.elements.flatMap(({ name }) =>
        found.filter((one) => one.name === name.text),
      )
    }
    if (
      !ts.canHaveModifiers(statement) ||
      !ts.getModifiers(statement)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)
    )
      return []
    const declared = ts.isVariableStatement(statement)
      ? statement.declarationList.declarations
      : [statement as unknown as ts.Declaration]
    return declared.map((node) => ({ name: (node as ts.NamedDeclaration).name?.getText() ?? '', node }))
  })
}

function membersOf(node: ts.Node | undefined, prefix = ''): { path: string; member: ts.TypeElement }[] {
  const type = node && ts.isTypeAliasDeclaration(node) ? node.type : node
  const members = type && ts.isTypeLiteralNode(type) ? [...type.members] : []
  return members.flatMap((member) => {
    const path = `${prefix}${member.name?.getText() ?? ''}`
    const inner = ts.isPropertySignature(member) ? membersOf(member.type, `${path}.`) : []
    return inner.length > 0 ? inner : [{ path, member }]
  })
}

function signatureOf(node: ts.Node): string {
  if (!ts.isFunctionDeclaration(node)) return `const ${node.getText().replace(/\s*=>[^]*$/, '')}`
  return codeOf(node, node.body?.getStart()).replace(/^export (?:async )?/, '')
}

/** Without its doc comment, and up to `end`. */
const codeOf = (node: ts.Node, end = node.getEnd()) =>
  node
    .getSourceFile()
    .text.slice(node.getStart(), end)
    .trim()
    .replaceAll(/^ {2}(?= *\S)/gm, '')

const docOf = (node: ts.Node): string => {
  const statement = ts.isVariableDeclaration(node) ? node.parent.parent : node
  return ts
    .getJSDocCommentsAndTags(statement)
    .map(({ comment }) => textOf(ts.getTextOfJSDocComment(comment) ?? ''))
    .join('\n\n')
}

/** A class or a type: its text, and a table of what it has. */
function tableOf({ name, node }: Named): string {
  const members = ts.isClassDeclaration(node)
    ? node.members.filter(ts.isPropertyDeclaration)
    : ts.isTypeAliasDeclaration(node)
      ? typeMembers(node.type)
      : []
  const rows = members.map((member) => {
    const type = cell(
      member.type?.getText() ??
        (ts.isPropertyDeclaration(member) ? member.initializer?.getText() : undefined) ??
        '',
    )
    const optional = member.questionToken ? '' : ' '
    return `| \`${member.name.getText()}\`${optional}| \`${type}\` | ${docOf(member).replaceAll(/\s+/g, ' ')} |`
  })
  const head = `### ${name}\n\n${[docOf(node), ts.isTypeAliasDeclaration(node) && rows.length === 0 ? `\`${cell(node.type.getText())}\`` : ''].filter(Boolean).join('\n\n')}`
  return rows.length === 0
    ? `${head}\n`
    : `${head.trimEnd()}\n\n| Name | Type | Meaning |\n| --- | --- | --- |\n${rows.join('\n')}\n`
}

function typeMembers(type: ts.TypeNode): ts.PropertySignature[] {
  if (ts.isTypeLiteralNode(type)) return type.members.filter(ts.isPropertySignature)
  return ts.isIntersectionTypeNode(type) ? type.types.flatMap(typeMembers) : []
}

const cell = (text: string) =>
  text
    .replaceAll(/\s+/g, ' ')
    .replaceAll('|', '\\|')
    .replace(/^\\\| /, '')
