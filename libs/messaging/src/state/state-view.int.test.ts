import { republishKeysState } from '@whereabouts/contracts/messages/republish-state'
import { busTest as test } from '@whereabouts/testing/broker/broker-fixtures'
import type { Bus } from '@whereabouts/testing/broker/bus'
import { eventually } from '@whereabouts/testing/eventually'
import { recreateStream } from '@whereabouts/testing/broker/streams'
import { describe, expect } from 'vitest'
import { natsOf } from '../connect/connection.ts'
import { immediatePublish, publish } from '../messages/publish.ts'
import { respond } from '../messages/request.ts'
import { StateView } from './state-view.ts'

type Org = { revision: number; name: string }
const OWNER = republishKeysState.subject
const org = (revision: number, name = `v${revision}`): Org => ({ revision, name })
const put = (bus: Bus, id: number, payload: unknown) =>
  publish(bus.broker, { subject: `keys.org.${id}`, payload })

function readOrg(payload: unknown): Org {
  const state = payload as Org
  if (typeof state.revision !== 'number') throw new Error('not an organization')
  return state
}

function createView() {
  const changes: unknown[] = []
  const view = new StateView<{ org: Org }>({
    org: { read: readOrg, onChange: (...change) => changes.push(change) },
  })
  return { view, changes }
}

test('the newest revision wins, also if states arrive twice and late', () => {
  const { view, changes } = createView()
  for (const state of [org(1), org(3), org(2), org(3, 'again')]) view.apply('keys.org.7', state)
  view.apply('keys.member.7.1', org(9)) // of no kind in this view
  expect(view.get('org', 7)).toEqual(org(3))
  expect(changes).toEqual([
    ['7', org(1), undefined],
    ['7', org(3), org(1)],
  ])
})

test('a state that cannot be read makes its subject unknown; an older one counts again', async ({ bus }) => {
  const { view, changes } = createView()
  await put(bus, 7, org(2))
  await put(bus, 8, org(1))
  const follower = view.follow(bus.broker, bus.logger)
  await follower.caughtUp
  expect(view.isCurrent()).toBe(true)
  await put(bus, 7, { stream: 'SCANS', seq: 48 })
  await eventually(() => expect(view.get('org', 7)).toBeUndefined())
  expect(view.get('org', 8)).toEqual(org(1))
  expect(changes.at(-1)).toEqual(['7', undefined, org(2)])
  await put(bus, 7, org(1))
  await eventually(() => expect(view.get('org', 7)).toEqual(org(1)))
  await recreateStream(bus.broker, 'KEYS')
  await expect.poll(() => view.get('org', 8), { timeout: 15_000 }).toBeUndefined()
  await follower.stop()
})

describe('a state that is unknown', () => {
  test('is asked for once for concurrent callers, and comes from the stream', async ({ bus }) => {
    const { view } = createView()
    const follower = view.follow(bus.broker, bus.logger)
    await follower.caughtUp
    const asked: unknown[] = []
    const republish = async (payload: unknown) => {
      asked.push(payload)
      await put(bus, 7, org(4))
      return { published: true }
    }
    const owner = respond(bus.broker, OWNER, 'owner', republish, { logger: bus.logger })
    expect(await Promise.all([view.ask('org', 7), view.ask('org', 7)])).toEqual([true, true])
    expect(view.get('org', 7)).toEqual(org(4))
    expect(await view.ask('org', 7)).toBe(true)
    expect(asked).toEqual([{ subject: 'keys.org.7' }])
    await Promise.all([owner.stop(), follower.stop()])
  })

  test('comes also while no stream can store it', async ({ bus }) => {
    const { view } = createView()
    const follower = view.follow(bus.broker, bus.logger)
    await follower.caughtUp
    await natsOf(bus.broker).jetstreamManager().then((jsm) => jsm.streams.delete('KEYS')) // oxfmt-ignore
    const row = { subject: 'keys.org.7', payload: org(1), msg_id: 'later', headers: {}, age: 0 }
    const republish = async () => {
      void immediatePublish(bus.broker, bus.logger)([row])
      return { published: true }
    }
    const owner = respond(bus.broker, OWNER, 'owner', republish, { logger: bus.logger })
    expect(await view.ask('org', 7)).toBe(true)
    expect(view.get('org', 7)).toEqual(org(1))
    await Promise.all([owner.stop(), follower.stop()])
  })

  test('is null if its owner does not have it, until a state comes', async ({ bus }) => {
    const { view } = createView()
    const follower = view.follow(bus.broker, bus.logger)
    const published = { published: false }
    const owner = respond(bus.broker, OWNER, 'owner', async () => published, { logger: bus.logger })
    expect(await view.ask('org', 7)).toBe(true)
    expect(view.get('org', 7)).toBeNull()
    view.apply('keys.org.7', org(1))
    expect(view.get('org', 7)).toEqual(org(1))
    await Promise.all([owner.stop(), follower.stop()])
  })

  test('stays unknown if its owner does not answer, or publishes nothing', async ({ bus }) => {
    const { view } = createView()
    expect(await view.ask('org', 7)).toBe(false) // not connected yet
    const follower = view.follow(bus.broker, bus.logger)
    expect(await view.ask('org', 7)).toBe(false)
    const published = { published: true }
    const owner = respond(bus.broker, OWNER, 'owner', async () => published, { logger: bus.logger })
    expect(await view.ask('org', 7)).toBe(false)
    expect(view.get('org', 7)).toBeUndefined()
    await Promise.all([owner.stop(), follower.stop()])
  })
})
