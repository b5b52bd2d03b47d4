import { createLogger } from '@whereabouts/service-kit/logging'
import { expect, test, vi } from 'vitest'
import { repeat } from './repeat.ts'

const log = createLogger('keys', 'silent')

test('a wake brings the next turn at once, also when it comes during a turn', async () => {
  const turns: ReturnType<typeof Promise.withResolvers<undefined>>[] = []
  const loop = repeat('test', { everyMs: 3_600_000, log }, () => {
    const turn = Promise.withResolvers<undefined>()
    turns.push(turn)
    return turn.promise
  })
  await vi.waitFor(() => expect(turns).toHaveLength(1))
  loop.wake()
  expect(turns).toHaveLength(1) // never two at once
  turns[0]?.resolve(undefined)
  await vi.waitFor(() => expect(turns).toHaveLength(2))
  turns[1]?.resolve(undefined)
  await loop.stop()
  expect(turns).toHaveLength(2)
})

test('a turn that fails is not the last', async () => {
  let turns = 0
  const loop = repeat('test', { everyMs: 1, log }, async () => {
    turns += 1
    throw new Error('broken')
  })
  await vi.waitFor(() => expect(turns).toBeGreaterThan(2))
  await loop.stop()
})

test('stopping waits for the running turn', async () => {
  const turn = Promise.withResolvers<undefined>()
  let ended = false
  const loop = repeat('test', { everyMs: 1, log }, () => turn.promise)
  const stopped = loop.stop().then(() => (ended = true))
  turn.resolve(undefined)
  await stopped
  expect(ended).toBe(true)
})
