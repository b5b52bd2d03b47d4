import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { makePrivate } from './private-folder.ts'
import { spawnLogged } from '../servers/child.ts'
import { postgresAccount } from '../servers/postgres-account.ts'

let home: string
let dataDir: string
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'private-test-'))
  dataDir = join(home, 'data')
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8)
/** Under root, PostgreSQL passes through the folder. */
const { gid } = postgresAccount()
const CLOSED = gid === undefined ? '700' : '710'

describe('S11 h the data of a local stack is closed to other users of the machine', () => {
  test('from its first start', () => {
    makePrivate(dataDir, true)
    expect([modeOf(dataDir), modeOf(join(dataDir, 'logs'))]).toEqual([CLOSED, '700'])
    expect(statSync(dataDir).gid).toBe(gid ?? process.getgid?.())
  })

  test('to all other users where the database is elsewhere', () => {
    makePrivate(dataDir, false)
    expect(modeOf(dataDir)).toBe('700')
  })

  test('from the next start where an older release left it open', () => {
    mkdirSync(join(dataDir, 'logs'), { recursive: true })
    mkdirSync(join(dataDir, 'postgres'))
    for (const file of ['secrets.json', 'republish.env', 'logs/keys.log'])
      writeFileSync(join(dataDir, file), 'x', { mode: 0o644 })
    makePrivate(dataDir, true)
    expect([modeOf(dataDir), modeOf(join(dataDir, 'logs/keys.log'))]).toEqual([CLOSED, '600'])
  })

  test('but a folder with other files keeps its mode, with its logs closed', () => {
    mkdirSync(join(dataDir, 'holiday-pictures'), { recursive: true, mode: 0o755 })
    const before = modeOf(dataDir)
    makePrivate(dataDir, true)
    expect([modeOf(dataDir), modeOf(join(dataDir, 'logs'))]).toEqual([before, '700'])
  })

  test('and every log too, also one that was open before', async () => {
    const log = join(home, 'program.log')
    writeFileSync(log, '', { mode: 0o644 })
    const child = spawnLogged(process.execPath, ['-e', ''], log, {})
    await new Promise((resolve) => child.once('exit', resolve))
    expect(modeOf(log)).toBe('600')
  })
})
