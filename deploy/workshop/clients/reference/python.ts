import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { examples, NOTICE, section, textOf } from './pages.ts'

const CLIENT = join(import.meta.dirname, '../../../../libs/client-python/src/whereabouts')
const MODULES = ['client', 'sync', 'exports', 'errors', 'events', 'webhooks', 'testing']
/** Classes whose methods are those of the client, with what goes before their names. */
const PARTS: Readonly<Record<string, string>> = {
  _Methods: '',
  Whereabouts: '',
  _Assets: 'assets.',
  _Locations: 'locations.',
  _Exports: 'exports.',
}

type Definition = { name: string; signature: string; doc: string; body: string }

const DEFINITION = /^( *)(async def|def|class) (\w+)/gm

/** The functions and classes of a text at one depth. A signature ends with the first colon at the end of a line. */
function definitionsIn(text: string, indent: string): Definition[] {
  const starts = [...text.matchAll(DEFINITION)].filter(([, own]) => own === indent)
  return starts.map((start, i) => {
    const all = text.slice(start.index, starts[i + 1]?.index ?? text.length)
    const end = /:(?: \.\.\.)?(?:  # fmt: skip)?\n|: \.\.\.$/m.exec(all)
    const body = all.slice((end?.index ?? 0) + (end?.[0].length ?? 0))
    const doc = /^\s*"""([^]*?)"""/.exec(body)?.[1] ?? ''
    return {
      name: start[3] ?? '',
      signature: all.slice(0, end?.index).replaceAll(/^ {4}/gm, '').trim(),
      doc: textOf(doc),
      body,
    }
  })
}

/** The page of the client for Python, from its docstrings. Throws for a function without an example. */
export function pythonPage(): string {
  const read = (name: string) => readFileSync(join(CLIENT, `${name}.py`), 'utf8')
  const isPublic = (name: string) => read('__init__').includes(`"${name}"`) || name === 'api_double'
  const all = MODULES.flatMap((module) => definitionsIn(read(module), '')).filter(
    ({ name }) => isPublic(name) || name in PARTS,
  )
  const exampleOf = examples('python.py', 'py')
  const of = (name: string) => all.filter((one) => one.name === name)
  const [client] = of('Whereabouts')
  const methods = Object.entries(PARTS).flatMap(([part, prefix]) =>
    of(part)
      .flatMap(({ body }) => definitionsIn(body, '    '))
      .filter(({ name, signature, doc }) => !name.startsWith('_') && doc !== '' && !/-> _/.test(signature))
      .map(({ name, signature, doc }) =>
        section(3, `${prefix}${name}`, 'python', `${signature}: ...`, doc, exampleOf(`${prefix}${name}`)),
      ),
  )
  const start = definitionsIn(client?.body ?? '', '    ').find(({ name }) => name === '__init__')
  const functions = all.filter(({ signature }) => signature.startsWith('def'))
  const classes = all.filter(({ name, signature }) => signature.startsWith('class') && !(name in PARTS))
  return [
    HEAD,
    '## Whereabouts\n',
    section(
      3,
      'Whereabouts',
      'python',
      `class Whereabouts:\n    ${(start?.signature ?? '').replaceAll('\n', '\n    ')}: ...`,
      client?.doc ?? '',
      exampleOf('Whereabouts'),
    ).replace('### Whereabouts\n\n', ''),
    '## Methods\n',
    ...methods,
    '## Functions\n',
    ...functions.map(({ name, signature, doc }) =>
      section(
        3,
        name,
        'python',
        `from ${name === 'api_double' ? 'whereabouts.testing' : 'whereabouts'} import ${name}\n\n${signature}: ...`,
        doc,
        exampleOf(name),
      ),
    ),
    '## Errors and other classes\n',
    ...classes.map(({ name, signature, doc }) => section(3, name, 'python', `${signature}: ...`, doc)),
  ].join('\n')
}

const HEAD = `# The client for Python

${NOTICE}

For Python 3.9 and newer, with and without asyncio. It needs [httpx](https://www.python-httpx.org). \`/downloads/\` of your system has the file, its version
and its SHA-256.

\`\`\`sh
pip install "$BASE/downloads/whereabouts-1.0.0-py3-none-any.whl"
\`\`\`

\`BASE\` is the address before \`/api/v1\`. An upgrade of the system replaces the file: keep the one that you use beside your program. The same for
[TypeScript](typescript.md); [the command line](command-line.md) is in that package. The types of requests and responses are in \`whereabouts.types\`. Each method of
\`AsyncWhereabouts\` has the same parameters; \`await\` it, or use \`async for\`.
`
