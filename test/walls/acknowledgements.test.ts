import { connect } from 'nats'
import { describe, expect, inject } from 'vitest'
import type { Key } from '../contract/support/organization.ts'
import { settled, test } from './support/walls.fixture.ts'

const scanned = (value: string) =>
  JSON.stringify({ reads: [{ tag: { type: 'barcode', value }, antenna: 1 }] })

/** Publishes like an integrator who knows the client library but not our guide. */
async function publishWithDefaults({ clientId, clientSecret }: Key, subject: string, times: number) {
  const nc = await connect({
    servers: inject('urls').nats,
    user: clientId,
    pass: clientSecret,
    reconnect: false,
  })
  try {
    const replies = []
    for (let i = 0; i < times; i += 1)
      replies.push(await nc.jetstream().publish(subject, scanned('R4'), { timeout: 5_000 }))
    return replies
  } finally {
    await nc.close()
  }
}

describe('R4 acknowledgements over NATS', () => {
  test('R4 the standard call without options gets its acknowledgement', async ({ attacker }) => {
    const [reply] = await publishWithDefaults(
      attacker.readerKey,
      `scans.${attacker.org.id}.plain.canonical`,
      1,
    )
    expect(reply).toMatchObject({ stream: 'SCANS', duplicate: false })
  })

  test('R4 no other organization receives them', async ({ victim, attacker, reader }) => {
    const raw = await reader()
    for (const [i, subject] of ['_INBOX.>', '>', `_INBOX.${victim.readerKey.clientId}.>`].entries())
      raw.subscribe(subject, String(i + 1))
    await raw.flush().catch(() => undefined)
    const subject = `scans.${victim.org.id}.${victim.reader.reader_key}.canonical`
    const replies = await publishWithDefaults(victim.readerKey, subject, 5)
    expect(replies).toHaveLength(5)
    const last = `scans.${attacker.org.id}.last.canonical`
    await publishWithDefaults(attacker.readerKey, last, 1)
    await raw.flush().catch(() => undefined)
    // It receives the acknowledgement of its own last message, and none of the five others.
    const inboxes = raw.heard.filter((heard) => heard.startsWith('_INBOX.'))
    expect(inboxes).toHaveLength(1)
    expect(raw.heard.filter((heard) => heard !== last && !inboxes.includes(heard))).toEqual([])
  })
})

describe('S8 ids of messages', () => {
  test('S8 a message id that another organization used drops no message', async ({
    api,
    victim,
    attacker,
    reader,
    watcher,
    rows,
  }) => {
    const headers = [['Nats-Msg-Id', `reader-7-${victim.org.id}`]] as const
    const [mine, their] = [await reader(), await reader(victim.readerKey)]
    mine.publish({ subject: `scans.${attacker.org.id}.first.canonical`, headers, payload: scanned('X') })
    await mine.flush()
    const value = `S8-${victim.org.id}`
    const subject = `scans.${victim.org.id}.${victim.reader.reader_key}.canonical`
    their.publish({ subject, headers, payload: scanned(value) })
    await their.flush()
    await settled(watcher, rows)
    const call = { token: victim.org.admin, query: { q: value } }
    const found = async () => (await api.call('listUnknownTags', call)).body.data.map((tag) => tag.value)
    await expect.poll(found, { timeout: 5_000 }).toEqual([value])
  })
})
