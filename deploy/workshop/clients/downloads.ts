// The build of what the console serves at /downloads/: both packages, the collections, and their hashes.
import { createHash } from 'node:crypto'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { basename, resolve } from 'node:path'
import { writeCollections } from './collections/collections.ts'
import { packClient } from './pack.ts'
import { packPythonClient } from './pack-python.ts'

const FOLDER = resolve(import.meta.dirname, '../../../services/console/dist-downloads')

/** Writes the packages, the collections and SHA256SUMS to a folder, which has nothing else afterwards. */
export async function packDownloads(folder: string): Promise<void> {
  const building = `${folder}.new`
  await rm(building, { recursive: true, force: true })
  await mkdir(building, { recursive: true })
  const packages = await Promise.all([packClient(building), packPythonClient(building)])
  const paths = [...packages, ...(await writeCollections(building))]
  const sums = paths.map(async (path) => {
    const sha256 = createHash('sha256')
      .update(await readFile(path))
      .digest('hex')
    return `${sha256}  ${basename(path)}\n`
  })
  await writeFile(`${building}/SHA256SUMS`, (await Promise.all(sums)).join(''))
  await rm(folder, { recursive: true, force: true })
  await rename(building, folder)
}

if (process.argv[1] === import.meta.filename) await packDownloads(FOLDER)
