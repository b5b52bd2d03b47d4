import { Agent, request as send } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createLogger, type Logger } from '../observe/logging.ts'
import { createRegistry } from '../observe/metrics.ts'
import { drainPhase, shutDown } from './run.ts'
import { createServer } from '../http/server.ts'

const log = createLogger('test', 'silent')
let app: FastifyInstance
let agent: Agent
let origin: string
beforeEach(async () => {
  app = createServer({ log, registry: createRegistry('test') })
  app.get('/', async () => 'here')
  agent = new Agent({ keepAlive: true, maxSockets: 1 })
  origin = await app.listen({ host: '127.0.0.1', port: 0 })
})
afterEach(async () => {
  agent.destroy()
  await app.close()
})

type Answer = { status: number | undefined; connection: string | undefined; reused: boolean }
const get = (): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const outgoing = send(origin, { agent }, (incoming) => {
      const answer = {
        status: incoming.statusCode,
        connection: incoming.headers.connection,
        reused: outgoing.reusedSocket,
      }
      incoming.resume().on('end', () => resolve(answer))
    })
    outgoing.on('error', reject).end()
  })

test('while a service drains, each request is served and is the last on its connection', async () => {
  expect(await get()).toEqual({ status: 200, connection: 'keep-alive', reused: false })
  let isReady = true
  await drainPhase({ ops: { unready: () => void (isReady = false) }, app, drainMs: 0 }).run()
  expect(isReady).toBe(false)
  expect(await get()).toEqual({ status: 200, connection: 'close', reused: true })
  expect(await get()).toEqual({ status: 200, connection: 'close', reused: false }) // new connections are still accepted
})

test('the time of the drain is added to the grace period of its phase', async () => {
  const lines: object[] = []
  const collecting = { info: (fields: object) => void lines.push(fields) } as unknown as Logger
  const phases = [
    drainPhase({ ops: { unready: () => undefined }, app, drainMs: 50 }),
    { name: 'endless', run: () => new Promise(() => undefined) },
  ]
  await shutDown(phases, 10, collecting)
  expect(lines).toMatchObject([
    { phase: 'drain', outcome: 'done' },
    { phase: 'endless', outcome: 'timed out' },
  ])
})
