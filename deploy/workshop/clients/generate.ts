import { writeFile } from 'node:fs/promises'
import { generatedFiles } from './generated-files.ts'

// The command `pnpm generate`.
const HELP = `pnpm generate    rewrite the files that are generated from the route table, after a row has changed, and NOTICE, after a package has changed\n`

if (process.argv.slice(2).some((arg) => ['--help', '-h'].includes(arg))) {
  process.stdout.write(HELP)
  process.exit()
}
const files = await generatedFiles()
await Promise.all(files.map(({ path, content }) => writeFile(path, content)))
process.stdout.write(files.map(({ path }) => `wrote ${path}\n`).join(''))
