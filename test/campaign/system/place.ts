import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Owners } from '../owners.ts'

/** Where a round keeps its data, from before anything of it is started. */
export type Place = {
  folder: string
  dataDir: string
  /** Copies all logs to a folder, and writes `facts.json` beside them. */
  keep(to: string, facts: object): void
}

export function newPlace(owners: Owners): Place {
  const folder = mkdtempSync(join(tmpdir(), 'whereabouts-campaign-'))
  chmodSync(folder, 0o755) // under root, PostgreSQL runs as another user, which must enter
  owners.add('folder', () => rmSync(folder, { recursive: true, force: true }))
  const dataDir = join(folder, 'data')
  return {
    folder,
    dataDir,
    keep(to, facts) {
      mkdirSync(to, { recursive: true, mode: 0o700 })
      writeFileSync(join(to, 'facts.json'), JSON.stringify(facts, null, 2))
      if (existsSync(dataDir))
        cpSync(dataDir, to, { recursive: true, filter: (path) => isLog(path, dataDir) })
    },
  }
}

/** `<service>-<port>/logs/…` and `logs/…`, but neither data nor secrets. */
const isLog = (path: string, dataDir: string) => {
  const inside = path.slice(dataDir.length + 1)
  return inside === '' || /^[a-z-]+-\d+$/.test(inside) || /(?:^|\/)logs(?:\/[^/]+)?$/.test(inside)
}
