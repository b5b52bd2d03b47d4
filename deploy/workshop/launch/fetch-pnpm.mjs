// For deploy/Dockerfile: fetches the pinned pnpm into the folder of the first argument and prints the path of its
// program.
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beBrief, StepError } from './progress.mjs'
import { fetchPnpm } from './tools.mjs'

beBrief()
try {
  const root = join(dirname(fileURLToPath(import.meta.url)), '../../..')
  process.stdout.write(`${await fetchPnpm(root, resolve(process.argv[2] ?? '.cache/tools'))}\n`)
} catch (error) {
  process.stderr.write(`${error instanceof StepError ? error.message : String(error)}\n`)
  process.exitCode = 1
}
