import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { parseArgs } from 'node:util'

const ROOT = join(import.meta.dirname, '../..')
const PROGRAMS = join(import.meta.dirname, 'generators')
const DESCRIPTION = join(ROOT, 'libs/contracts/openapi/openapi.json')

const HELP = `pnpm try:generators [options] [name...]    make, compile and call clients of the API; downloads the generators

  --base URL             the API; these three default to those of .data/demo.json, which npm start writes
  --client-id ID         of an API key with assets:read, assets:write and scans:read
  --client-secret TEXT
`

const stages = ['lint', 'generate', 'compile', 'call'] as const
type Stage = (typeof stages)[number]
/** What a step belongs to, and its command. */
type Step = [stage: Stage | 'install', command: string]
type Generator = {
  version: string
  /** From `generators/` to the folder of the trial, where the steps run. The description is there as `openapi.json`. */
  files: Record<string, string>
  steps: Step[]
}
type Row = { name: string; version: string; warnings: number } & Partial<Record<Stage, string>>

const openapiGenerator = (version: string, options: string): Step[] => [
  [
    'install',
    `mvn -q -B dependency:copy -Dartifact=org.openapitools:openapi-generator-cli:${version} -DoutputDirectory=. -Dmdep.stripVersion=true`,
  ],
  [
    'generate',
    `java -jar openapi-generator-cli.jar generate -i openapi.json -o client ${options} --global-property apis,models,supportingFiles,apiTests=false,modelTests=false`,
  ],
]

const generators: Record<string, Generator> = {
  spectral: {
    version: '6.16.3',
    files: { 'spectral.yaml': 'spectral.yaml' },
    steps: [
      ['install', 'npm install --no-audit --no-fund --loglevel=error @stoplight/spectral-cli@6.16.3'],
      ['lint', 'npx spectral lint -r spectral.yaml --fail-severity=warn openapi.json'],
    ],
  },
  'openapi-typescript': {
    version: '7.13.0',
    files: { 'calls.mts': 'calls.mts' },
    steps: [
      [
        'install',
        'npm install --no-audit --no-fund --loglevel=error openapi-typescript@7.13.0 openapi-fetch@0.17.0 typescript@5.9 @types/node@24',
      ],
      ['generate', 'npx openapi-typescript openapi.json -o api.d.ts'],
      ['compile', 'npx tsc --noEmit --strict --module nodenext --target es2023 calls.mts'],
      ['call', `node calls.mts`],
    ],
  },
  'openapi-python-client': {
    version: '0.29.1',
    files: { 'calls.py': 'calls.py' },
    steps: [
      ['install', 'python3 -m venv env'],
      ['install', 'env/bin/pip install -q openapi-python-client==0.29.1 mypy types-python-dateutil'],
      [
        'generate',
        'env/bin/openapi-python-client generate --path=openapi.json --meta=none --output-path=whereabouts',
      ],
      ['compile', 'env/bin/mypy --follow-imports=silent calls.py'],
      ['call', 'env/bin/python calls.py'],
    ],
  },
  'oapi-codegen': {
    version: '2.8.2',
    files: { 'calls.go': 'calls.go', 'oapi-codegen.yaml': 'oapi-codegen.yaml' },
    steps: [
      ['install', 'go mod init example.org/trial'],
      [
        'generate',
        'go run github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2 -config=oapi-codegen.yaml openapi.json',
      ],
      ['install', 'go mod tidy'],
      ['compile', 'go vet ./...'],
      ['call', 'go run .'],
    ],
  },
  java: {
    version: '7.25.0',
    files: { 'Calls.java': 'client/src/main/java/Calls.java' },
    steps: [
      ...openapiGenerator(
        '7.25.0',
        '-g java --library=native -p useSingleRequestParameter=true,containerDefaultToNull=true',
      ),
      ['compile', 'mvn -q -B -f client compile'],
      ['call', 'mvn -q -B -f client org.codehaus.mojo:exec-maven-plugin:3.5.0:java -Dexec.mainClass=Calls'],
    ],
  },
  csharp: {
    version: '7.25.0',
    files: {},
    steps: [...openapiGenerator('7.25.0', '-g csharp'), ['compile', 'dotnet build client']],
  },
}

/** Runs the steps of a generator, until one fails or the machine does not have its command. */
function tryGenerator(name: string, { version, files, steps }: Generator, target: NodeJS.ProcessEnv): Row {
  const cwd = mkdtempSync(join(tmpdir(), 'generator-'))
  const row: Row = { name, version, warnings: 0 }
  try {
    copyFileSync(DESCRIPTION, join(cwd, 'openapi.json'))
    mkdirSync(join(cwd, 'api'))
    for (const [from, to] of Object.entries(files)) {
      mkdirSync(dirname(join(cwd, to)), { recursive: true })
      copyFileSync(join(PROGRAMS, from), join(cwd, to))
    }
    const paths = [join(cwd, 'env/bin'), dirname(process.execPath), process.env['PATH']]
    const env = { ...process.env, ...target, PATH: paths.join(delimiter), KEY: `TRIAL-${name}-${Date.now()}` }
    for (const [index, [of, command]] of steps.entries()) {
      // What could not be installed is missing in the next stage.
      const stage = steps.slice(index).find(([each]) => each !== 'install')?.[0] ?? of
      const [program = '', ...args] = command.split(' ')
      const { status, error, stdout, stderr } = spawnSync(program, args, { cwd, env, encoding: 'utf8' })
      if (error && 'code' in error && error.code === 'ENOENT') return { ...row, [stage]: `no ${program}` }
      const output = `${stdout}${stderr}`
      if (of === 'generate') row.warnings = output.match(/^.*\bwarn(?:ing)?\b.*$/gim)?.length ?? 0
      if (status !== 0) process.stdout.write(`${name}: ${command}\n${output}\n`)
      if (status !== 0) return { ...row, [stage]: 'FAILED' }
      if (of !== 'install') row[of] = 'ok'
    }
    return row
  } finally {
    rmSync(cwd, { recursive: true, force: true })
  }
}

function targetOf(
  values: Partial<Record<'base' | 'client-id' | 'client-secret', string>>,
): NodeJS.ProcessEnv {
  const { base, 'client-id': id, 'client-secret': secret } = values
  if (base && id && secret) return { BASE: base, CLIENT_ID: id, CLIENT_SECRET: secret }
  const demo = JSON.parse(readFileSync(join(ROOT, '.data/demo.json'), 'utf8')) as {
    base_url: string
    api_key: { client_id: string; client_secret: string }
  }
  const { client_id, client_secret } = demo.api_key
  return { BASE: base ?? demo.base_url, CLIENT_ID: id ?? client_id, CLIENT_SECRET: secret ?? client_secret }
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    base: { type: 'string' },
    'client-id': { type: 'string' },
    'client-secret': { type: 'string' },
    help: { type: 'boolean', short: 'h' },
  },
})
const unknown = positionals.filter((name) => !Object.hasOwn(generators, name))
if (values.help || unknown.length > 0) {
  process.stdout.write(`${HELP}\nNames: ${Object.keys(generators).join(', ')}\n`)
  process.exitCode = values.help ? 0 : 2
} else {
  const target = targetOf(values)
  const chosen = Object.entries(generators).filter(
    ([name]) => positionals.length === 0 || positionals.includes(name),
  )
  const rows = chosen.map(([name, generator]) => {
    process.stdout.write(`Trying ${name}\n`)
    return tryGenerator(name, generator, target)
  })
  const cells = (row: Row) => [
    row.name,
    row.version,
    ...stages.map((stage) => row[stage] ?? '-'),
    `${row.warnings}`,
  ]
  const table = [['generator', 'version', ...stages, 'warnings'], ...rows.map(cells)]
  for (const line of table)
    process.stdout.write(
      `${line
        .map((cell) => cell.padEnd(22))
        .join('')
        .trimEnd()}\n`,
    )
  if (rows.some((row) => stages.some((stage) => row[stage] === 'FAILED'))) process.exitCode = 1
}
