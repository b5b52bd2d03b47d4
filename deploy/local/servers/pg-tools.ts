import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { unpackWithLibraries } from './debian-release.ts'

const MAJOR = 18
const NAMES = ['pg_dump', 'pg_restore'] as const
const ADVICE = `Install the client programs of PostgreSQL ${MAJOR} so that they are on PATH.`

/** Paths of the programs that write and read backups. */
export type PgTools = Record<(typeof NAMES)[number], string>

type Options = {
  /** Folder kept between runs. */
  cacheDir: string
  onNote?: (note: string) => void
}

/**
 * `pg_dump` and `pg_restore` that are new enough for our PostgreSQL, whose embedded form has none: those on PATH, where
 * Debian keeps them, in the cache, or Debian's package, freshly fetched and not installed (20 MB). Throws an error that
 * says what to do where none can be had.
 */
export async function findPgTools({ cacheDir, onNote = () => {} }: Options): Promise<PgTools> {
  const onPath = (process.env['PATH'] ?? '').split(delimiter).filter(Boolean)
  const present = [...onPath, `/usr/lib/postgresql/${MAJOR}/bin`, cacheDir].map(toolsIn).find(areUsable)
  if (present) return present
  onNote('fetching pg_dump: the Debian package (about 20 MB, once)')
  try {
    return await fetchDebianPackage(cacheDir)
  } catch (error) {
    const reason = error instanceof Error ? error.message.trim() : String(error)
    throw new Error(
      `found no pg_dump ${MAJOR}, and Debian's package could not be fetched: ${reason}\n${ADVICE}`,
      { cause: error },
    )
  }
}

const toolsIn = (folder: string): PgTools => ({
  pg_dump: join(folder, 'pg_dump'),
  pg_restore: join(folder, 'pg_restore'),
})

const areUsable = (tools: PgTools) => NAMES.every((name) => majorVersion(tools[name]) >= MAJOR)

function majorVersion(program: string): number {
  if (!existsSync(program)) return 0
  const { stdout } = spawnSync(program, ['--version'], { encoding: 'utf8', timeout: 10_000 })
  return Number(/ (\d+)/.exec(stdout ?? '')?.[1] ?? 0)
}

async function fetchDebianPackage(cacheDir: string): Promise<PgTools> {
  const scratch = mkdtempSync(join(tmpdir(), 'pg-tools-'))
  mkdirSync(cacheDir, { recursive: true })
  // In the cache from the beginning: a rename does not reach across file systems.
  const unpacked = mkdtempSync(join(cacheDir, 'unpacking-'))
  try {
    await unpackWithLibraries(scratch, { release: 'sid', name: `postgresql-client-${MAJOR}` }, unpacked)
    for (const name of NAMES) writeLauncher(unpacked, name)
    if (!areUsable(toolsIn(unpacked))) throw new Error('it does not run')
    return keep(unpacked, cacheDir)
  } finally {
    for (const folder of [scratch, unpacked]) rmSync(folder, { recursive: true, force: true })
  }
}

/** Runs by the loader it came with: the C library of this machine may be older than the one it was made for. */
function writeLauncher(folder: string, name: string): void {
  const lib = join(folder, 'root/usr/lib')
  const triplet = readdirSync(lib).find((entry) => entry.endsWith('-linux-gnu'))
  const loader = triplet && readdirSync(join(lib, triplet)).find((file) => /^ld-linux.*\.so\.\d+$/.test(file))
  if (!loader) throw new Error('the package has no loader')
  const lines = [
    '#!/bin/sh',
    'lib=$(dirname "$(readlink -f "$0")")/root/usr/lib',
    `exec "$lib/${triplet}/${loader}" --library-path "$lib/${triplet}" "$lib/postgresql/${MAJOR}/bin/${name}" "$@"`,
  ]
  writeFileSync(join(folder, name), `${lines.join('\n')}\n`, { mode: 0o755 })
}

/** Another run may have been faster; its copy is as good. */
function keep(unpacked: string, cacheDir: string): PgTools {
  if (!areUsable(toolsIn(cacheDir)))
    for (const entry of readdirSync(unpacked)) {
      rmSync(join(cacheDir, entry), { recursive: true, force: true })
      renameSync(join(unpacked, entry), join(cacheDir, entry))
    }
  return toolsIn(cacheDir)
}
