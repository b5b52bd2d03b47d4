import { describe, expect } from 'vitest'
import { lettersOf } from './support/dead-letters.ts'
import { settled, test } from './support/walls.fixture.ts'
import { openMqtt } from './support/mqtt-client.ts'

const KIB = 1_024
/** A canonical message of so many bytes, with one read. */
function scanOf(bytes: number): Buffer {
  const text = JSON.stringify({ reads: [{ tag: { type: 'barcode', value: 'WALLS' }, antenna: 1 }] })
  return Buffer.from(text.padEnd(bytes))
}

describe('S9 limits of one connection', () => {
  test('S9 NATS accepts a message of 256 KiB and refuses one above 257 KiB', async ({
    attacker,
    reader,
    watcher,
  }) => {
    const subject = `scans.${attacker.org.id}.large.canonical`
    const stored = async () => (await watcher.stream('SCANS')).subjects[subject] ?? 0
    const raw = await reader()
    raw.publish({ subject, payload: scanOf(256 * KIB) })
    await raw.flush()
    await expect.poll(stored).toBe(1)
    raw.announce(subject, 257 * KIB + 1)
    await raw.closed
    expect(raw.errors.join()).toMatch(/maximum payload/i)
    await (await reader()).flush()
    expect(await stored()).toBe(1)
  })

  test.for([258, 8 * KIB])('S9 R2 MQTT refuses a message of %i KiB', async (kib, { attacker, watcher }) => {
    const [subject, topic] = ['.', '/'].map((dot) =>
      ['scans', attacker.org.id, `mqtt-${kib}`, 'canonical'].join(dot),
    )
    const mine = await openMqtt(attacker.readerKey, { clientId: `${attacker.readerKey.clientId}-${kib}` })
    const wasTaken = await mine.publish(topic ?? '', scanOf(kib * KIB))
    await mine.close({ rudely: true })
    const kept = (await watcher.streams()).flatMap(({ subjects }) =>
      Object.keys(subjects).filter((name) => name.endsWith(subject ?? '')),
    )
    expect({ wasTaken, kept }).toEqual({ wasTaken: false, kept: [] })
  })

  test('S9 the 21st subscription is refused', async ({ attacker, reader }) => {
    const key = await attacker.org.key({ scopes: ['scans:write'] })
    const raw = await reader(key)
    for (let i = 1; i <= 21; i += 1) raw.subscribe(`_INBOX.${key.clientId}.${i}`, String(i))
    await raw.flush().catch(() => undefined)
    expect(raw.errors.join()).toMatch(/maximum subscriptions/i)
  })

  test('S9 the 201st connection of a key is refused', async ({ attacker, reader }) => {
    const key = await attacker.org.key({ scopes: ['scans:write'] })
    for (let i = 0; i < 8; i += 1) await Promise.all(Array.from({ length: 25 }, () => reader(key)))
    await expect(reader(key)).rejects.toThrow(/the broker ended the connection/)
  })
})

describe('R2 limits of one message', () => {
  /** The shortest possible objects: 10 001 of them are below the size limit. */
  const messageOf = (reads: number) =>
    JSON.stringify(Array.from({ length: reads }, (_, i) => ({ t: (i % 4_096).toString(36) })))

  test('R2 10 000 reads in any format, and no more', async ({ api, attacker, reader, watcher, rows }) => {
    const key = 'reads-limit'
    const mapping = { reads: '', tag: '/t', tag_type: 'barcode' }
    const body = { reader_key: key, name: key, format: 'mapping', mapping }
    expect((await api.call('createReader', { token: attacker.org.admin, body })).status).toBe(201)
    const raw = await reader()
    const subject = `scans.${attacker.org.id}.${key}.mapping`
    const letters = () => lettersOf(watcher, (letter) => letter.originalSubject === subject)
    raw.publish({ subject, payload: messageOf(10_000) })
    await raw.flush()
    await settled(watcher, rows)
    expect(await letters()).toEqual([])
    raw.publish({ subject, payload: messageOf(10_001) })
    await raw.flush()
    await settled(watcher, rows)
    expect((await letters()).map(({ reason }) => reason)).toEqual([expect.stringMatching(/reads/)])
  })
})
