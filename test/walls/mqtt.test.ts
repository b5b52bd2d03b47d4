import { randomUUID } from 'node:crypto'
import { describe, expect, inject } from 'vitest'
import { test as base } from './support/walls.fixture.ts'
import { openMqtt, type Mqtt } from './support/mqtt-client.ts'

const SEVEN_DAYS_NS = 7 * 24 * 3_600 * 1e9

/** A client id like those of devices. */
const newClientId = () => `gateway-${randomUUID().slice(0, 8)}`

const test = base.extend('open', ({}, { onCleanup }) => {
  const opened: Mqtt[] = []
  onCleanup(async () => {
    await Promise.all(opened.map((one) => one.close()))
  })
  return async (...given: Parameters<typeof openMqtt>) => {
    const one = await openMqtt(...given)
    opened.push(one)
    return one
  }
})

const scan = JSON.stringify({ reads: [{ tag: { type: 'barcode', value: 'WALLS' }, antenna: 1 }] })

describe('S6 R3 a client id of another organization', () => {
  test('S6 does not end the connection that uses it', async ({ open, victim, attacker }) => {
    const clientId = newClientId()
    const topic = `scans/${victim.org.id}/${victim.reader.reader_key}/canonical`
    const theirs = await open(victim.readerKey, { clientId })
    expect(await theirs.publish(topic, scan)).toBe(true)
    for (let i = 0; i < 3; i += 1) await open(attacker.readerKey, { clientId }).catch(() => undefined)
    expect(await theirs.publish(topic, scan), 'its next message is acknowledged').toBe(true)
    expect(theirs.isOpen()).toBe(true)
  })

  test('R3 does not take over the session that it left', async ({ open, victim, attacker }) => {
    const clientId = newClientId()
    const left = await open(victim.readerKey, { clientId, clean: false })
    await left.close()
    const back = await open(victim.readerKey, { clientId, clean: false })
    expect(back.sessionPresent, 'its own organization resumes it').toBe(true)
    await back.close()
    const mine = await open(attacker.readerKey, { clientId, clean: false }).catch(() => undefined)
    expect(mine?.sessionPresent ?? false).toBe(false)
  })
})

describe('S7 the MQTT data of the broker', () => {
  test('S7 no retained message', async ({ open, attacker, watcher }) => {
    const mine = await open(attacker.readerKey, { clientId: newClientId() })
    for (let i = 0; i < 20; i += 1)
      await mine.publish(`scans/${attacker.org.id}/invented-${i}/canonical`, scan, { retain: true })
    const retained = (await watcher.streams()).filter(({ name }) => name === '$MQTT_rmsgs')
    expect(retained.map(({ messages }) => messages).filter((messages) => messages > 0)).toEqual([])
  })

  const ofMqtt = inject('streams').filter((name) => name.startsWith('$MQTT_'))
  test.for(ofMqtt)('S7 %s cannot fill the disk', async (name, { watcher }) => {
    const { config } = await watcher.stream(name)
    expect(config.max_bytes).toBeGreaterThan(0)
  })

  test('S7 an abandoned session expires', async ({ watcher }) => {
    const { config } = await watcher.stream('$MQTT_sess')
    expect(config.max_age).toBeGreaterThan(0)
    expect(config.max_age).toBeLessThanOrEqual(SEVEN_DAYS_NS)
  })
})
