import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream, existsSync, mkdirSync, renameSync } from 'node:fs'
import { basename, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { ApiError } from '../client.ts'
import type { ExportDetail, ExportFile, ExportRequest } from '../exports.ts'
import type { Whereabouts } from '../whereabouts.ts'
import { say } from './output.ts'
import { INTERRUPTED, open } from './settings.ts'

/**
 * Makes an export, and its files those of a folder. A file that is there already, with the right checksum, is not read again. The
 * export is deleted afterwards, also after a failure, because its files count against what the organization may store.
 */
export async function exportFiles(request: ExportRequest, folder: string): Promise<void> {
  const whereabouts = open()
  const stopping = new AbortController()
  const stop = () => stopping.abort()
  const { signal } = stopping
  process.once('SIGINT', stop)
  mkdirSync(folder, { recursive: true })
  let id: number | undefined
  try {
    ;({ id } = await whereabouts.exports.create(request, { signal }))
    const done = await whereabouts.exports.wait(id, { signal, onProgress: progressOf(request.dataset) })
    say(process.stderr.isTTY ? '\n' : `${request.dataset}: ${done.rows} rows\n`)
    for (const file of done.files) await take(whereabouts, file, folder, signal)
    if (done.files.length === 0) say('There are no rows in this time.\n')
  } catch (error) {
    if (!signal.aborted) throw error
    say('\nStopped. Run it again: files that are complete are kept.\n')
    process.exitCode = INTERRUPTED
  } finally {
    process.off('SIGINT', stop)
    if (id !== undefined) await removeIfThere(whereabouts, id)
  }
}

const progressOf =
  (what: string) =>
  ({ progress, rows }: ExportDetail): void => {
    if (process.stderr.isTTY) say(`\r${what}: ${Math.floor(progress * 100)} %, ${rows} rows`)
  }

/** Under its name there is only a file that is complete. */
async function take(whereabouts: Whereabouts, file: ExportFile, folder: string, signal: AbortSignal): Promise<void> {
  const path = join(folder, basename(file.name))
  if (existsSync(path) && (await sha256Of(path)) === file.sha256) {
    say(`${path} is there already\n`)
    return
  }
  const part = `${path}.part`
  await pipeline(whereabouts.exports.download(file, { signal }), createWriteStream(part))
  if ((await sha256Of(part)) !== file.sha256)
    throw new Error(`${part} has not the checksum of the export. Run it again.`)
  renameSync(part, path)
  say(`${path}: ${file.rows} rows, ${file.bytes} bytes\n`)
} // oxfmt-ignore

async function sha256Of(path: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(path), hash)
  return hash.digest('hex')
}

/** Somebody may have deleted it meanwhile. */
async function removeIfThere(whereabouts: Whereabouts, id: number): Promise<void> {
  await whereabouts.exports.delete(id).catch((error: unknown) => {
    if (!(error instanceof ApiError && error.status === 404)) throw error
  })
}
