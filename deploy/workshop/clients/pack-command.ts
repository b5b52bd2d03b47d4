import { mkdir } from 'node:fs/promises'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'

const ROOT = resolve(import.meta.dirname, '../../..')
const FOLDER = '.cache/packages'

/** A command that makes one package. Prints the path of its file. */
export async function packCommand(
  name: string,
  what: string,
  pack: (folder: string) => Promise<string>,
): Promise<void> {
  const help = `npm run ${name} [-- FOLDER]    pack ${what} into FOLDER (default ${FOLDER}), and print the path of its file\n`
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: { help: { type: 'boolean', short: 'h' } },
    })
    if (values.help) {
      process.stdout.write(help)
      return
    }
    const folder = resolve(positionals[0] ?? `${ROOT}/${FOLDER}`)
    await mkdir(folder, { recursive: true })
    process.stdout.write(`${await pack(folder)}\n`)
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n\n${help}`)
    process.exitCode = 1
  }
}
