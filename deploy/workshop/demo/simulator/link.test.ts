import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createLink, type Connection } from './link.ts'

beforeEach(() => vi.useFakeTimers())
afterEach(() => vi.useRealTimers())

/** The remote side: scripted logins, and connections that the test can close. */
function broker() {
  const open: { cut: () => void }[] = []
  let isAway = false
  const connect = vi.fn<() => Promise<Connection>>(async () => {
    if (isAway) throw new Error('away')
    const over = Promise.withResolvers<Error | undefined>()
    const cut = () => over.resolve(new Error('cut'))
    open.push({ cut })
    return { publish: () => true, close: async () => over.resolve(undefined), closed: over.promise }
  })
  return { connect, cut: () => open.at(-1)?.cut(), setAway: (away: boolean) => (isAway = away) }
}

const bytes = Buffer.from('{}')

test('a lost connection is restored, and messages meanwhile are lost', async () => {
  const remote = broker()
  const onDown = vi.fn<(error: Error) => void>()
  const link = createLink({ connect: remote.connect, onDown, onUp: () => {} })
  await link.tried
  expect(link.publish('s', bytes)).toBe(true)
  remote.cut()
  await vi.waitFor(() => expect(link.isUp).toBe(false))
  expect(link.publish('s', bytes)).toBe(false)
  await vi.advanceTimersByTimeAsync(1_000)
  expect(link.isUp).toBe(true)
  expect(onDown).not.toHaveBeenCalled()
  await link.stop()
})

test('while logins fail, the delay grows up to its limit', async () => {
  const remote = broker()
  remote.setAway(true)
  const onDown = vi.fn<(error: Error) => void>()
  const link = createLink({
    connect: remote.connect,
    onDown,
    onUp: () => {},
    minWaitMs: 1_000,
    maxWaitMs: 8_000,
  })
  await link.tried
  await vi.advanceTimersByTimeAsync(60_000)
  const { length } = remote.connect.mock.calls
  expect(length).toBeGreaterThan(6)
  expect(length).toBeLessThan(14)
  expect(onDown).toHaveBeenCalledTimes(length)
  await link.stop()
})

test('the delay also grows when the broker closes each connection at once', async () => {
  const remote = broker()
  const link = createLink({
    connect: remote.connect,
    onDown: () => {},
    onUp: () => queueMicrotask(remote.cut),
  })
  await vi.advanceTimersByTimeAsync(60_000)
  expect(remote.connect.mock.calls.length).toBeLessThan(15)
  await link.stop()
})

test('after stop there are no more attempts', async () => {
  const remote = broker()
  const link = createLink({ connect: remote.connect, onDown: () => {}, onUp: () => {} })
  await link.tried
  await link.stop()
  await vi.advanceTimersByTimeAsync(60_000)
  expect(remote.connect).toHaveBeenCalledOnce()
  expect(vi.getTimerCount()).toBe(0)
})
