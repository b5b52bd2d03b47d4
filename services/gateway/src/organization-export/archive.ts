import { Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { ZipFile } from 'yazl'

export type Entry = { name: string; content: AsyncIterable<string | Buffer> }

/**
 * A ZIP of these files, made while it is read: the next rows are read when the last ones are on their way. A failure of a file
 * is one of the stream, before the directory at the end of the ZIP, without which no program opens it.
 */
export function archive(entries: AsyncIterable<Entry>, madeAt: Date): Readable {
  const zip = new ZipFile()
  const output = zip.outputStream as Readable
  zip.on('error', (error: Error) => output.destroy(error))
  let current: Readable | undefined
  output.once('close', () => current?.destroy())

  async function addAll(): Promise<void> {
    for await (const { name, content } of entries) {
      if (output.destroyed) return
      current = Readable.from(content, { objectMode: false })
      zip.addReadStream(current, name, { mtime: madeAt })
      await finished(current)
    }
    zip.end()
  }

  addAll().catch((error: Error) => output.destroy(error))
  return output
}
