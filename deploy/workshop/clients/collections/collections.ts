import { publicDescription } from '@whereabouts/contracts/description/openapi'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { brunoZip } from './bruno.ts'
import { postmanCollection } from './postman.ts'
import { collect } from './requests.ts'

/** Writes the collections for Postman and Bruno. Resolves with their paths. */
export async function writeCollections(folder: string): Promise<string[]> {
  const collection = collect(publicDescription())
  const files = [
    ['whereabouts.postman_collection.json', `${JSON.stringify(postmanCollection(collection), null, 2)}\n`],
    ['whereabouts.bruno.zip', brunoZip(collection)],
  ] as const
  return Promise.all(
    files.map(async ([name, content]) => {
      const path = join(folder, name)
      await writeFile(path, content)
      return path
    }),
  )
}
