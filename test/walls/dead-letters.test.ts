import { randomBytes } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect } from 'vitest'
import { lettersOf } from './support/dead-letters.ts'
import { settled, test } from './support/walls.fixture.ts'

const KIB = 1_024
/**
 * More dead letters than the broker keeps for an organization. In full, they would fill a quarter of the stream of dead
 * letters (256 MiB). B sends them slowly, so that it is not disconnected.
 */
const FLOOD = 300
const PER_SECOND = 50

describe('S9 dead letters', () => {
  test('S9 a flood of one organization evicts no dead letter of another, and keeps only heads', async ({
    victim,
    attacker,
    reader,
    watcher,
    rows,
  }) => {
    const theirs = `scans.${victim.org.id}.broken.canonical`
    const their = await reader(victim.readerKey)
    their.publish({ subject: theirs, payload: 'not JSON' })
    await their.flush()
    await settled(watcher, rows)
    const kept = () => lettersOf(watcher, ({ originalSubject }) => originalSubject === theirs)
    expect(await kept()).toMatchObject([{ head: 'not JSON' }])

    const mine = `scans.${attacker.org.id}.broken.canonical`
    const raw = await reader()
    const payload = `B${randomBytes(120 * KIB).toString('hex')}`
    for (let sent = 0; sent < FLOOD; sent += PER_SECOND / 5) {
      raw.publish(...Array.from({ length: PER_SECOND / 5 }, () => ({ subject: mine, payload })))
      await raw.flush()
      await delay(200)
    }
    await settled(watcher, rows)
    expect(await kept(), 'the letter of the other organization').toMatchObject([{ head: 'not JSON' }])
    const [letter] = (await kept()) ?? []
    expect(letter?.subject).toBe(`dead.${victim.org.id}.SCANS.tracking-ingest`)
    const own = await lettersOf(watcher, ({ originalSubject }) => originalSubject === mine)
    expect(own.length).toBeGreaterThan(0)
    for (const { size, head } of own)
      expect({ size, head }).toEqual({ size: 8 * KIB, head: payload.slice(0, 32) })
  })
})
