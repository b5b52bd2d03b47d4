import { connect, type NatsConnection } from 'nats'
import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, inject } from 'vitest'
import type { Key } from '../contract/support/organization.ts'
import { openMqtt } from './support/mqtt-client.ts'
import { settled, test } from './support/walls.fixture.ts'

const LARGE = Buffer.alloc(256 * 1_024, '{"reads":[]}')
/** A flood that the broker does not stop ends after this. */
const FLOOD_MS = 8_000
/** From the first byte of the flood, on a busy machine. */
const CUT_OFF_MS = 3_000

const login = ({ clientId, clientSecret }: Key): Promise<NatsConnection> =>
  connect({ servers: inject('urls').nats, user: clientId, pass: clientSecret, reconnect: false })

/** Publishes as fast as the broker reads. Resolves with the milliseconds until the broker closed the connection. */
async function floodOverNats(nc: NatsConnection, subject: string): Promise<number> {
  const started = performance.now()
  let [before, now]: Promise<unknown>[] = [Promise.resolve(), Promise.resolve()]
  while (!nc.isClosed() && performance.now() - started < FLOOD_MS) {
    for (let n = 0; n < 16 && !nc.isClosed(); n += 1) nc.publish(subject, LARGE)
    // One batch is always in flight while the client waits for the previous one.
    ;[before, now] = [now, nc.flush().catch(() => undefined)]
    await Promise.race([before, nc.closed()])
  }
  return performance.now() - started
}

/** Scans that follow a flood, while tracking still processes it. */
const SCANS_AFTER = 50

/** Publishes a scan every 20 ms until `isOver`, then some more. Resolves with the stream or the error of each. */
async function publishOn(nc: NatsConnection, subject: string, isOver: () => boolean) {
  const payload = JSON.stringify({ reads: [{ tag: { type: 'barcode', value: 'FLOODS' }, antenna: 1 }] })
  const js = nc.jetstream()
  const replies: Promise<string>[] = []
  for (let after = 0; after < SCANS_AFTER; after += isOver() ? 1 : 0) {
    const reply = js.publish(subject, payload, { timeout: 5_000 })
    replies.push(reply.then(({ stream }) => stream, String))
    await delay(20)
  }
  return Promise.all(replies)
}

describe('F1 one connection that sends without a limit', () => {
  test('F1 over NATS the broker disconnects it, and no scan of another organization is lost', async ({
    victim,
    attacker,
    watcher,
    rows,
  }) => {
    const [theirs, mine, other] = [
      await login(victim.readerKey),
      await login(attacker.readerKey),
      await login(await attacker.org.key({ scopes: ['scans:write'] })),
    ]
    const subject = `scans.${victim.org.id}.floods.canonical`
    let isOver = false
    const published = publishOn(theirs, subject, () => isOver)
    const tookMs = await floodOverNats(mine, `scans.${attacker.org.id}.flood.canonical`)
    isOver = true
    const replies = await published
    console.log(`walls: a flood over NATS ended after ${Math.round(tookMs)} ms`)
    expect(replies.filter((reply) => reply !== 'SCANS')).toEqual([])
    expect(replies.length).toBeGreaterThan(SCANS_AFTER)
    expect((await watcher.stream('SCANS')).subjects[subject]).toBe(replies.length)
    expect(tookMs).toBeLessThan(CUT_OFF_MS)
    await expect(login(attacker.readerKey)).rejects.toThrow(/authorization/i)
    expect(other.isClosed()).toBe(false) // another key of the same organization
    await Promise.all([theirs.close(), other.close()])
    await settled(watcher, rows)
  })

  test('F1 over MQTT the broker disconnects it, and keys refuses its logins for a while', async ({
    attacker,
    watcher,
    rows,
  }) => {
    const key = await attacker.org.key({ scopes: ['scans:write'] })
    const mine = await openMqtt(key, { clientId: key.clientId })
    const started = performance.now()
    while (mine.isOpen() && performance.now() - started < FLOOD_MS)
      await Promise.all(
        Array.from({ length: 16 }, () =>
          mine.publish(`scans/${attacker.org.id}/flood/canonical`, LARGE, { qos: 0 }),
        ),
      )
    const tookMs = performance.now() - started
    console.log(`walls: a flood over MQTT ended after ${Math.round(tookMs)} ms`)
    expect(tookMs).toBeLessThan(CUT_OFF_MS)
    await expect(openMqtt(key, { clientId: key.clientId })).rejects.toThrow()
    await mine.close({ rudely: true })
    await settled(watcher, rows)
  })
})
