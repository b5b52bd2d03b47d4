// The command `npm test` after its preparation (test.mjs).
import { runAllSuites } from './all-suites.ts'
import { exitWith, fetchBrowser, runProgram, withTestServers } from './run-vitest.ts'

const args = process.argv.slice(2)
const files = args.filter((arg) => !arg.startsWith('-'))
const isChosen = files.length > 0 || args.some((arg) => arg.startsWith('--project'))
const needsBrowser = files.every((file) => /browser|console|screens/.test(file))

await exitWith(async () => {
  const [code] = await Promise.all([
    args.length === 0 ? runProgram('pnpm', ['check:static']) : 0,
    needsBrowser ? fetchBrowser() : undefined,
  ])
  if (code !== 0) return code
  return withTestServers((vitest) => (isChosen ? vitest(args) : runAllSuites(vitest, args)))
})
