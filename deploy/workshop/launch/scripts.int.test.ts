import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { ROOT } from '../../installation/services.ts'

const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  scripts: Record<string, string>
}

/** They need the tools of this project: docs/contributing/tests.md says which folder to put on the PATH. All others run with any Node. */
const FOR_DEVELOPERS = new Set([
  'prepare', 'check', 'check:static', 'format', 'format:check', 'lint', 'types', 'unused', 'test:unit', 'lint:api', 'try:generators',
]) // oxfmt-ignore

const forAll = Object.entries(scripts).filter(([name]) => !FOR_DEVELOPERS.has(name))

test.for(forAll)('npm run %s starts with a launcher that any Node can read', ([name, script]) => {
  const [, launcher = '', program] =
    /^exec node (deploy\/workshop\/launch\/[\w-]+\.mjs)(?: (\S+))?$/.exec(script) ?? []
  const isRun = launcher.endsWith('/run.mjs')
  expect([launcher !== '' && existsSync(join(ROOT, launcher)), isRun ? program : name], script).toEqual([
    true,
    name,
  ])
})

test('what documents tell people to run with npm is one of these', () => {
  const pages = execFileSync('git', ['ls-files', '*.md', '*.ts', '*.mjs', '*.tsx'], {
    cwd: ROOT,
    encoding: 'utf8',
  })
  const told = pages
    .trim()
    .split('\n')
    .map((file) => readFileSync(join(ROOT, file), 'utf8'))
    .flatMap((text) =>
      Array.from(text.matchAll(/\bnpm run (?:--silent )?([a-z][\w:-]*)/g), ([, name = '']) => name),
    )
  expect(told).toContain('status')
  const names = new Set(forAll.map(([name]) => name))
  expect([...new Set(told)].filter((name) => !names.has(name))).toEqual([])
})

/** The first Node of the machine that cannot read our TypeScript, with the npm beside it. */
const oldNode = (process.env['PATH'] ?? '')
  .split(delimiter)
  .map((folder) => join(folder, 'node'))
  .filter((file) => existsSync(file) && existsSync(join(dirname(file), 'npm')))
  .find(
    (file) =>
      Number(execFileSync(file, ['-p', 'process.versions.node.split(".")[0]'], { encoding: 'utf8' })) < 24,
  )

describe.skipIf(oldNode === undefined)('with the Node of the machine, and without pnpm', () => {
  const env = {
    PATH: [dirname(oldNode ?? ''), '/usr/bin', '/bin'].join(delimiter),
    HOME: process.env['HOME'],
  }
  test.for(forAll.map(([name]) => name))('npm run %s -- --help shows what it does', (name) => {
    const { status, stdout, stderr } = spawnSync('npm', ['run', '--silent', name, '--', '--help'], {
      cwd: ROOT,
      env,
      encoding: 'utf8',
    })
    expect([status, stderr]).toEqual([0, ''])
    expect(stdout).toMatch(/\b(?:usage:|npm test|npm start|p?npm (?:run )?[a-z])/i)
  })
})
