import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { publicDescription } from '@whereabouts/contracts/description/openapi'
import ts from 'typescript'
import { expect, test } from 'vitest'
import { pythonTypes } from './python-types.ts'

type Described = { operationId: string; 'x-codeSamples': { label: string; source: string }[] }
const operations = Object.values(publicDescription().paths ?? {}).flatMap((item) =>
  Object.values(item as Record<string, Described>),
)
const samplesIn = (label: string) =>
  operations.map(({ operationId, 'x-codeSamples': samples }) => ({
    operationId,
    source: samples.find((sample) => sample.label === label)?.source ?? '',
  }))

test('the samples in TypeScript compile with the package', () => {
  const file = join(import.meta.dirname, 'samples.in-memory.ts')
  const text = [
    `import { unwrap, type Whereabouts } from '@whereabouts/client'`,
    'declare const whereabouts: Whereabouts',
    ...samplesIn('TypeScript').map(
      ({ operationId, source }) => `export async function ${operationId}() {\n${source}\n}`,
    ),
  ].join('\n')
  const options: ts.CompilerOptions = {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    allowImportingTsExtensions: true,
    target: ts.ScriptTarget.ES2023,
    module: ts.ModuleKind.NodeNext,
    types: ['node'],
  }
  const host = ts.createCompilerHost(options)
  const withSamples: ts.CompilerHost = {
    ...host,
    fileExists: (name) => name === file || host.fileExists(name),
    getSourceFile: (name, ...others) =>
      name === file
        ? ts.createSourceFile(name, text, ts.ScriptTarget.ES2023)
        : host.getSourceFile(name, ...others),
  }
  const problems = ts.getPreEmitDiagnostics(ts.createProgram([file], options, withSamples))
  expect(problems.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'))).toEqual([])
})

const hasPython = spawnSync('python3', ['--version']).status === 0
test.skipIf(!hasPython)('the samples in Python compile (needs python3)', () => {
  const program =
    'import json, sys\nfor s in json.load(sys.stdin): compile(s["source"], s["operationId"], "exec")'
  const input = JSON.stringify(samplesIn('Python'))
  const { status, stderr } = spawnSync('python3', ['-c', program], { input, encoding: 'utf8' })
  expect(stderr).toBe('')
  expect(status).toBe(0)
})

test.skipIf(!hasPython)(
  'the types in Python load, also with a field whose name is a keyword (needs python3)',
  () => {
    const text = (type: string) => ({ type })
    const schemas = {
      Base: { properties: { from: text('string'), to: text('string') }, required: ['from'] },
      Other: {
        properties: { from: text('string'), to: text('string'), all: text('boolean') },
        required: ['to'],
      },
      Optional_: { properties: { class: text('string') } },
    }
    const program = `import json, sys
texts = json.load(sys.stdin)
scopes = [{"__name__": "types"} for _ in texts]
[exec(text, scope) for text, scope in zip(texts, scopes)]
keys = {name: [sorted(scopes[1][name].__required_keys__), sorted(scopes[1][name].__optional_keys__)] for name in ("Base", "Other", "Optional_")}
print(json.dumps([sorted(scopes[0]["ReplayRequest"].__required_keys__), keys]))`
    const created = { properties: { name: text('string') } }
    const made = { components: { schemas: { AssetCreate: created, LocationCreate: created, ...schemas } } }
    const input = JSON.stringify([pythonTypes(publicDescription()), pythonTypes(made)])
    const { stdout, stderr } = spawnSync('python3', ['-c', program], { input, encoding: 'utf8' })
    expect(stderr).toBe('')
    expect(JSON.parse(stdout)).toEqual([
      ['from'],
      { Base: [['from'], ['to']], Other: [['to'], ['all', 'from']], Optional_: [[], ['class']] },
    ])
  },
)
