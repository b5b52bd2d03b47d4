import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { fetchIntoCache, type FetchOptions } from './debian-fetch.ts'
import { unpackWithLibraries } from './debian-release.ts'

const MAJOR = 18
const NAMES = ['pg_dump', 'pg_restore'] as const
const PG_TOOLS = {
  name: `pg_dump ${MAJOR}`,
  size: '20 MB',
  advice: `Install the client programs of PostgreSQL ${MAJOR} so that they are on PATH.`,
}

/** Paths of the programs that write and read backups. */
export type PgTools = Record<(typeof NAMES)[number], string>

/**
 * `pg_dump` and `pg_restore` for our PostgreSQL, whose embedded form has none: those on PATH, where Debian keeps
 * them, in the cache, or Debian's package, unpacked and not installed. Rejects with an error that says what to do.
 */
export async function findPgTools(options: FetchOptions): Promise<PgTools> {
  const { cacheDir } = options
  const onPath = (process.env['PATH'] ?? '').split(delimiter).filter(Boolean)
  const present = [...onPath, `/usr/lib/postgresql/${MAJOR}/bin`, cacheDir].map(toolsIn).find(areUsable)
  return present ?? fetchIntoCache(PG_TOOLS, options, fetchFor(cacheDir))
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

const fetchFor = (cacheDir: string) => async (scratch: string, unpacked: string) => {
  const wanted = { release: 'sid', name: `postgresql-client-${MAJOR}`, all: true } as const
  await unpackWithLibraries(scratch, wanted, unpacked)
  for (const name of NAMES) writeLauncher(unpacked, name)
  if (!areUsable(toolsIn(unpacked))) throw new Error('it does not run')
  if (!areUsable(toolsIn(cacheDir)))
    for (const entry of readdirSync(unpacked)) {
      rmSync(join(cacheDir, entry), { recursive: true, force: true })
      renameSync(join(unpacked, entry), join(cacheDir, entry))
    }
  return toolsIn(cacheDir)
}

/** Runs with the loader of the package, because the C library of this machine may be older. */
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
