// The command `npm test` after its preparation (test.mjs).
import { exitWith, runProgram, runVitest } from './run-vitest.ts'

const args = process.argv.slice(2)
const files = args.filter((arg) => !arg.startsWith('-'))

await exitWith(async () => {
  const code = args.length === 0 ? await runProgram('pnpm', ['check:static']) : 0
  if (code !== 0) return code
  const isChosen = files.length > 0 || args.some((arg) => arg.startsWith('--project'))
  const needsBrowser = files.every((file) => /browser|console/.test(file))
  return runVitest(isChosen ? args : [...args, '--project=!soak'], needsBrowser)
})
