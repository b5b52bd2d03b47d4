import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { errorText } from '../../error-text.ts'

export type FetchOptions = {
  /** Folder kept between runs. */
  cacheDir: string
  onNote?: (note: string) => void
}

/**
 * Gives `fetch` an empty folder for downloads and one for the result, which is on the file system of `cacheDir`, so
 * that a rename keeps it there. Both are removed at the end. A failure rejects with `advice`.
 */
export async function fetchIntoCache<T>(
  what: { name: string; size: string; advice: string },
  { cacheDir, onNote = () => {} }: FetchOptions,
  fetch: (scratch: string, unpacked: string) => Promise<T>,
): Promise<T> {
  onNote(`fetching ${what.name}: the Debian package (about ${what.size}, once)`)
  mkdirSync(cacheDir, { recursive: true })
  const folders = [mkdtempSync(join(tmpdir(), 'debian-')), mkdtempSync(join(cacheDir, 'unpacking-'))] as const
  try {
    return await fetch(...folders)
  } catch (cause) {
    const problem = `found no ${what.name}, and Debian's package could not be fetched: ${errorText(cause)}`
    throw new Error(`${problem}\n${what.advice}`, { cause })
  } finally {
    for (const folder of folders) rmSync(folder, { recursive: true, force: true })
  }
}
