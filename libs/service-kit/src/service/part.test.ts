import { setImmediate as turn } from 'node:timers/promises'
import { beforeEach, expect, test, vi } from 'vitest'
import type { Logger } from '../observe/logging.ts'
import { checkOrder, part, startParts, stopAll, type Part } from './part.ts'
import { shutDown } from './run.ts'

const never = new AbortController().signal
let events: string[] = []
beforeEach(() => {
  events = []
})
const log = {
  info: ({ phase, outcome }: Record<string, string>) => void events.push(`${phase}: ${outcome}`),
  error: ({ err, phase }: { err: Error; phase: string }) => void events.push(`${phase}: ${err.message}`),
} as unknown as Logger

/** A part that notes what happens to it. */
const noted = (name: string, needs?: Part, start: () => unknown = () => name): Part =>
  part(name, {
    needs,
    start: (needed) => {
      events.push(needed === undefined ? `start ${name}` : `start ${name} with ${JSON.stringify(needed)}`)
      return start()
    },
    stop: () => void events.push(`stop ${name}`),
  })

test('parts start in the reverse of the order in which they stop, each with what it needs', async () => {
  const broker = noted('broker')
  const outbox = noted('outbox', broker)
  const parts = checkOrder([noted('api'), outbox, broker, noted('database')])
  await startParts(parts, never)
  expect(events).toEqual(['start database', 'start broker', 'start api', 'start outbox with "broker"'])
  events = []
  await shutDown(parts, 1_000, log)
  const stopped = ['api', 'outbox', 'broker', 'database'].flatMap((name) => [`stop ${name}`, `${name}: done`])
  expect(events).toEqual(stopped)
})

test('a part waits for what it needs, and no other part waits; what several need starts once', async () => {
  const connected = Promise.withResolvers<string>()
  const broker = noted('broker', undefined, () => connected.promise)
  const [outbox, watch] = [noted('outbox', broker), noted('watch', broker)]
  const parts = [noted('api'), outbox, watch, broker]
  const started = startParts(parts, never)
  await vi.waitFor(() => expect(events).toEqual(['start broker', 'start api']))
  await turn()
  expect(parts.map(({ isUp }) => isUp)).toEqual([true, false, false, false])
  expect(outbox.value).toBeUndefined()
  expect(() => outbox.up).toThrow('outbox is not up yet')
  connected.resolve('the connection')
  await started
  expect(events.slice(2)).toEqual(['start watch with "the connection"', 'start outbox with "the connection"'])
  expect([broker.value, outbox.up]).toEqual(['the connection', 'outbox'])
})

test('during the start, only what is up stops, and nothing more starts', async () => {
  const connected = Promise.withResolvers<string>()
  const broker = noted('broker', undefined, () => connected.promise)
  const parts = [noted('api'), noted('outbox', broker), broker, noted('database')]
  const stopping = new AbortController()
  const started = startParts(parts, stopping.signal)
  await vi.waitFor(() => expect(events).toContain('start api'))
  await turn()
  stopping.abort()
  events = []
  await shutDown(parts, 1_000, log)
  connected.resolve('too late')
  await started
  expect(events).toEqual(['stop api', 'api: done', 'stop database', 'database: done'])
})

test('a part that cannot start fails the start; those that need it do not start', async () => {
  const refused = noted('broker', undefined, () => Promise.reject(new Error('wrong password')))
  const outbox = noted('outbox', refused)
  const parts = [noted('api'), outbox, refused, noted('database')]
  await expect(startParts(parts, never)).rejects.toThrow('wrong password')
  expect(parts.map(({ isUp }) => isUp)).toEqual([true, false, false, true])
})

test('a stop that fails or hangs is logged, and the next parts stop', async () => {
  const bad = part('bad', { start: () => 0, stop: () => Promise.reject(new Error('torn')) })
  const thrown = part('thrown', {
    start: () => 0,
    stop: () => {
      throw new Error('broken')
    },
  })
  const endless = part('endless', { start: () => 0, stop: () => new Promise(() => undefined) })
  const parts = [bad, thrown, endless, noted('last')]
  await startParts(parts, never)
  events = []
  await shutDown(parts, 5, log)
  const [torn, broken] = ['bad: torn', 'thrown: broken']
  expect(events).toEqual([
    torn,
    'bad: failed',
    broken,
    'thrown: failed',
    'endless: timed out',
    'stop last',
    'last: done',
  ])
})

test('parts of one phase stop together', async () => {
  const first = Promise.withResolvers<void>()
  const stopped = stopAll([{ stop: () => first.promise }, { stop: () => first.resolve() }])
  await expect(stopped).resolves.toHaveLength(2)
})

test('a list in which a part stops before one that needs it, or without what it needs, is refused', () => {
  const broker = noted('broker')
  const outbox = noted('outbox', broker)
  expect(checkOrder([outbox, broker])).toEqual([outbox, broker])
  expect(() => checkOrder([broker, outbox])).toThrow('outbox needs broker, which must stop after it')
  expect(() => checkOrder([outbox])).toThrow('outbox needs broker')
})
