import { writeFile } from 'node:fs/promises'
import { generatedFiles } from './generated-files.ts'

// Rewrites the files that are generated from the route table. Run it after changing a row.
const files = await generatedFiles()
await Promise.all(files.map(({ path, content }) => writeFile(path, content)))
process.stdout.write(files.map(({ path }) => `wrote ${path}\n`).join(''))
