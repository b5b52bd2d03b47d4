import { openEvents, type EventStream } from '@whereabouts/testing/event-stream'
import { connect } from 'nats'
import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, inject } from 'vitest'
import { succeed } from '../contract/support/organization.ts'
import { beside, usualRequests } from './support/beside.ts'
import { test as base } from './support/walls.fixture.ts'

/** At least; it goes on until the victim is served. */
const ATTACK_MS = 5_000
/** Within the limits of messages and of bytes: 25 messages and 4.2 MB a second, of 240 000 reads. */
const EVERY_MS = 40
const MESSAGE = JSON.stringify(Array.from({ length: 9_900 }, () => ({ e: 'E2000001' })))
const READER = 'many-reads'
/** What a user may open. */
const VIEWS = 10

const test = base.extend('many', { scope: 'file' }, async ({ api, attacker }) => {
  const { id: org, admin: token } = attacker.org
  const mapping = { reads: '', tag: '/e', tag_type: 'rfid' }
  const body = { reader_key: READER, name: 'Many reads', format: 'mapping', mapping }
  const { id } = (await succeed(api.call('createReader', { token, body }))).body.data
  if (id === null) throw new Error('a configured reader has an id')
  const { clientId: user, clientSecret: pass } = attacker.readerKey
  return {
    /** Sends as many reads as fit into the limits of messages and bytes. */
    flood: async (isServed: () => boolean): Promise<void> => {
      const nc = await connect({ servers: inject('urls').nats, user, pass, reconnect: false })
      const until = performance.now() + ATTACK_MS
      while (performance.now() < until || !isServed()) {
        nc.publish(`scans.${org}.${READER}.mapping`, MESSAGE)
        await delay(EVERY_MS)
      }
      await nc.flush()
      await nc.close()
    },
    view: (): Promise<EventStream> =>
      openEvents(`${inject('urls').base}/api/v1/readers/${id}/reads`, {
        authorization: `Bearer ${token}`,
        'user-agent': 'walls/1',
      }),
    problem: async (): Promise<string> => {
      const found = await succeed(api.call('getReader', { token, params: { reader_id: id } }))
      return found.body.data.health?.last_problem ?? ''
    },
  }
})

describe('F4 many reads in few messages', () => {
  test('F4 another organization is answered, and the reader says why its scans are late', async ({
    api,
    many,
  }) => {
    await beside('many reads', await usualRequests(api), many.flood)
    await expect.poll(many.problem, { timeout: 10_000 }).toMatch(/more than 5000 reads a second/)
  })

  test('F4 views of that reader cost one decoding for all', async ({ api, many, onTestFinished }) => {
    const views: EventStream[] = []
    onTestFinished(() => {
      for (const view of views) view.close()
    })
    for (let n = 0; n < VIEWS; n += 1) views.push(await many.view())
    expect(views.map(({ status }) => status)).toEqual(views.map(() => 200))
    await beside(`${VIEWS} views of many reads`, await usualRequests(api), many.flood)
    for (const view of views) {
      const { events } = view
      expect(events.filter(({ event }) => event === 'read').length).toBeGreaterThan(0)
      expect(events.filter(({ event }) => event === 'omitted').length).toBeGreaterThan(0)
    }
  })
})
