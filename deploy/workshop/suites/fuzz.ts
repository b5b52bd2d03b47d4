// The command `pnpm fuzz` after its preparation (fuzz.mjs): the test files whose cases are random.
import { globSync, readFileSync } from 'node:fs'
import { ROOT } from '../../installation/services.ts'
import { exitWith, withTestServers } from './run-vitest.ts'

const paths = process.argv.slice(2)
const tests = globSync('{libs,services,deploy,test}/**/*.test.ts', {
  cwd: ROOT,
  exclude: ['**/node_modules/**'],
})
const files = tests.filter(
  (file) =>
    readFileSync(`${ROOT}/${file}`, 'utf8').includes("'@whereabouts/testing/fuzz'") &&
    (paths.length === 0 || paths.some((path) => file.includes(path))),
)

await exitWith(async () => {
  if (files.length === 0) throw new Error(`No test with random cases has ${paths.join(' or ')} in its path.`)
  return withTestServers((vitest) => vitest([...files, '--testTimeout=1800000']))
})
