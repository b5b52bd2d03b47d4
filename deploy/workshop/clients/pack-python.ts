// The command `pnpm pack:client:python`: builds the wheel of the Python client. A wheel is a ZIP archive with some metadata, so
// that neither Python nor a build tool is necessary.
import { packCommand } from './pack-command.ts'
import { createHash } from 'node:crypto'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { LICENSE } from '@whereabouts/contracts/release'
import { clientChangelog } from './client-changelog.ts'
import { zip } from './zip.ts'

const ROOT = resolve(import.meta.dirname, '../../..')
const CLIENT = join(ROOT, 'libs/client-python')
const NAME = 'whereabouts'

type File = readonly [path: string, content: Buffer]

/** Resolves with the path of the wheel in `folder`. */
export async function packPythonClient(folder: string): Promise<string> {
  const project = await readFile(join(CLIENT, 'pyproject.toml'), 'utf8')
  /** Of one line, as texts and lists are written in JSON too. */
  const field = (name: string): unknown =>
    JSON.parse(new RegExp(`^${name} = (.+)$`, 'm').exec(project)?.[1] ?? 'null')
  const version = String(field('version'))
  const metadata = [
    'Metadata-Version: 2.1',
    `Name: ${NAME}`,
    `Version: ${version}`,
    `Summary: ${String(field('description'))}`,
    'Author: Whereabouts',
    ...(LICENSE === undefined ? [] : [`License: ${LICENSE}`]),
    `Requires-Python: ${String(field('requires-python'))}`,
    ...(field('dependencies') as string[]).map((one) => `Requires-Dist: ${one}`),
    'Description-Content-Type: text/markdown',
    '',
    await readFile(join(CLIENT, 'README.md'), 'utf8'),
  ]
  const wheel = [
    'Wheel-Version: 1.0',
    'Generator: whereabouts',
    'Root-Is-Purelib: true',
    'Tag: py3-none-any',
    '',
  ]
  const info = `${NAME}-${version}.dist-info`
  const files: File[] = [
    ...(await sources()),
    [`${info}/METADATA`, Buffer.from(metadata.join('\n'))],
    [`${info}/CHANGELOG.md`, Buffer.from(await clientChangelog())],
    [`${info}/WHEEL`, Buffer.from(wheel.join('\n'))],
  ]
  const record = [...files.map(recorded), `${info}/RECORD,,`, '']
  const path = join(folder, `${NAME}-${version}-py3-none-any.whl`)
  await writeFile(path, zip([...files, [`${info}/RECORD`, Buffer.from(record.join('\n'))]]))
  return path
}

async function sources(): Promise<File[]> {
  const names = (await readdir(join(CLIENT, 'src', NAME))).filter((name) => /\.(?:py|typed)$/.test(name))
  return Promise.all(
    names
      .toSorted()
      .map(async (name) => [`${NAME}/${name}`, await readFile(join(CLIENT, 'src', NAME, name))] as const),
  )
}

const recorded = ([path, content]: File): string =>
  `${path},sha256=${createHash('sha256').update(content).digest('base64url')},${content.length}`

if (process.argv[1] === import.meta.filename)
  await packCommand('pack:client:python', 'the client for Python', packPythonClient)
