import { randomUUID } from 'node:crypto'
import { republishKeysState } from '@whereabouts/contracts/messages/republish-state'
import { connect } from '@whereabouts/messaging/connect/connection'
import { publish, publishMany } from '@whereabouts/messaging/messages/publish'
import { readSubject } from '@whereabouts/messaging/state/replay'
import { respond } from '@whereabouts/messaging/messages/request'
import { createLogger } from '@whereabouts/service-kit/observe/logging'
import { startBus, type Bus } from '@whereabouts/testing/broker/bus'
import { expect, test as base } from 'vitest'
import { keyStateOf, memberStateOf } from '../../test/gateway.fixture.ts'
import { startRelay } from '../../test/relay.fixture.ts'
import { KeyView } from './key-view.ts'

const log = createLogger('gateway', 'silent')
const test = base.extend<{ bus: Bus }>({
  bus: [
    async ({}, use) => {
      const bus = await startBus()
      await use(bus)
      await bus.stop()
    },
    { scope: 'file' },
  ],
})

const tell = (bus: Bus, key: Parameters<typeof keyStateOf>[0]) => {
  const payload = keyStateOf(key)
  return publish(bus.broker, {
    subject: `keys.key.${payload.jti}`,
    payload,
    msgId: `${payload.jti}-${payload.revision}`,
  })
}

async function follow(bus: Bus, view: KeyView, url = bus.server.url) {
  const broker = await connect({ url, ...bus.server.users.services, name: 'gateway', logger: bus.logger })
  const follower = view.states.follow(broker, log)
  const stop = async () => {
    await follower.stop()
    await broker.close()
  }
  return { stop }
}

function isRevoked(view: KeyView, id: string): boolean | undefined {
  const key = view.states.get('key', id)
  return key ? key.revoked_at !== null : undefined
}

const jti = '11111111-1111-4111-8111-111111111111'

test('D9.3 a revocation or the end of a membership is in the view within a second', async ({ bus }) => {
  const view = new KeyView()
  await tell(bus, { jti, revision: 1 })
  const follower = await follow(bus, view)
  try {
    expect(view.states.isCurrent()).toBe(false)
    await expect.poll(() => view.states.isCurrent(), { timeout: 5_000 }).toBe(true)
    expect(isRevoked(view, jti)).toBe(false)
    await tell(bus, { jti, revision: 2, revoked_at: '2026-11-21T10:00:00.000Z' })
    await expect.poll(() => isRevoked(view, jti), { timeout: 1_000, interval: 10 }).toBe(true)
    const member = memberStateOf({ user_id: 9, revision: 3 })
    await publish(bus.broker, { subject: `keys.member.${member.org_id}.9`, payload: member })
    await expect
      .poll(() => view.states.get('member', `${member.org_id}.9`), { timeout: 1_000, interval: 10 })
      .toEqual({ revision: 3 })
    const chain_id = randomUUID()
    const payload = { org_id: 7, chain_id, ended_at: new Date().toISOString() }
    await publish(bus.broker, { subject: `keys.chain.${chain_id}`, payload })
    await expect.poll(() => view.isChainEnded(chain_id), { timeout: 1_000, interval: 10 }).toBe(true)
  } finally {
    await follower.stop()
  }
})

test('a key with an unreadable state is unknown until keys publishes it again', async ({ bus }) => {
  const unreadable = '33333333-3333-4333-8333-333333333333'
  const view = new KeyView()
  await tell(bus, { jti: unreadable, revision: 1 })
  const follower = await follow(bus, view)
  const requests: unknown[] = []
  const republish = async (payload: unknown) => {
    requests.push(payload)
    await tell(bus, { jti: unreadable, revision: 2 })
    return { published: true }
  }
  try {
    await expect.poll(() => view.states.get('key', unreadable)).toMatchObject({ revision: 1 })
    await publishMany(bus.broker, [{ subject: `keys.key.${unreadable}`, payload: Buffer.from('{"stream"') }])
    await expect.poll(() => view.states.get('key', unreadable)).toBeUndefined()
    const keys = respond(bus.broker, republishKeysState.subject, 'keys', republish, { logger: bus.logger })
    await expect
      .poll(() => view.states.get('key', unreadable), { timeout: 10_000 })
      .toMatchObject({ revision: 2 })
    expect(requests[0]).toEqual({ subject: `keys.key.${unreadable}` })
    await keys.stop()
  } finally {
    await follower.stop()
  }
})

test('the view is not current until it has read all that it missed in an outage', async ({ bus }) => {
  const missed = '22222222-2222-4222-8222-222222222222'
  const measured: number[] = []
  const view = new KeyView((seconds) => measured.push(seconds))
  const relay = await startRelay(Number(new URL(bus.server.url).port))
  const follower = await follow(bus, view, `nats://127.0.0.1:${relay.port}`)
  try {
    await tell(bus, { jti, revision: 3 })
    await expect.poll(() => view.states.isCurrent(), { timeout: 5_000 }).toBe(true)
    await relay.cut()
    await expect.poll(() => view.states.isCurrent(), { timeout: 5_000 }).toBe(false)
    for (let revision = 4; revision < 50; revision += 1) await tell(bus, { jti: randomUUID(), revision })
    await tell(bus, { jti: missed, revision: 50, revoked_at: '2026-11-21T10:00:00.000Z' })
    await relay.restore()
    await expect.poll(() => isRevoked(view, missed), { timeout: 10_000 }).toBe(true)
    await expect.poll(() => view.states.isCurrent(), { timeout: 10_000 }).toBe(true)
    // Measured only while the view is current: it must not be current before it has the revocation.
    expect(measured).toEqual([])
    await tell(bus, { jti, revision: 51, revoked_at: new Date().toISOString() })
    await expect.poll(() => measured, { timeout: 5_000 }).toHaveLength(1)
    await tell(bus, { jti, revision: 52, revoked_at: new Date().toISOString() })
    await expect.poll(() => view.states.get('key', jti)).toMatchObject({ revision: 52 })
    expect(measured).toHaveLength(1)
  } finally {
    await follower.stop()
    await relay.cut()
  }
})

test('S11a the end of a session expires in the stream', async ({ bus }) => {
  const chain_id = randomUUID()
  const subject = `keys.chain.${chain_id}`
  const payload = { org_id: 7, chain_id, ended_at: new Date().toISOString() }
  const { seq } = await publish(bus.broker, { subject, payload, headers: { 'Nats-TTL': '1s' } })
  const stored = async () => {
    const { messages } = await readSubject(bus.broker, { stream: 'KEYS', subject, fromSeq: seq, limit: 1 })
    return messages.length
  }
  expect(await stored()).toBe(1)
  await expect.poll(stored, { timeout: 10_000, interval: 200 }).toBe(0)
})
