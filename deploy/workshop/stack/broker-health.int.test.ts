import { createServer } from 'node:http'
import { expect, test } from 'vitest'
import { watchBrokerStorage } from './broker-health.ts'

type Answers = { full: number; serverOnly: number; storage: number }

const FULL_ERROR = "JetStream stream 'APP > SCANS' write error: no space left on device"

/** The monitor of a broker, whose answers the test sets. Only a full disk makes a real one answer like this, see test/faults. */
async function startMonitor() {
  const answers: Answers = { full: 200, serverOnly: 200, storage: 0 }
  let [asked, askedIfUp] = [0, 0]
  const server = createServer((request, reply) => {
    const { url = '' } = request
    if (url === '/healthz') asked += 1
    else askedIfUp += 1
    const status =
      url === '/healthz' ? answers.full : url.includes('js-server-only') ? answers.serverOnly : 200
    const error = url === '/healthz' && status !== 200 ? { error: FULL_ERROR } : {}
    reply
      .writeHead(status)
      .end(JSON.stringify({ ...error, storage: answers.storage, config: { max_storage: 100_000_000 } }))
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return {
    answers,
    asked: () => asked,
    askedIfUp: () => askedIfUp,
    monitorUrl: `http://127.0.0.1:${address.port}`,
    close: () => new Promise((done) => server.close(done)),
  }
}

async function watched(change: (answers: Answers) => void) {
  const monitor = await startMonitor()
  change(monitor.answers)
  const seen = { free: 1e9, heals: false, restartsAt: [] as number[], lines: [] as string[] }
  const broker = { pid: 1, monitorUrl: monitor.monitorUrl }
  const watch = watchBrokerStorage({
    broker,
    folder: '/data',
    everyMs: 2,
    free: () => seen.free,
    say: (line) => seen.lines.push(line),
    restart: async () => {
      seen.restartsAt.push(monitor.asked())
      broker.pid += 1
      if (seen.heals) monitor.answers.full = 200
    },
  })
  const end = async () => {
    await watch.stop()
    await monitor.close()
  }
  return { ...monitor, seen, end }
}

test('a broker that stores nothing is restarted after three failures, and ever later while that does not help', async () => {
  const { seen, end } = await watched((answers) => (answers.full = 503))
  await expect.poll(() => seen.restartsAt.length).toBeGreaterThanOrEqual(4)
  await end()
  expect(seen.restartsAt.slice(0, 4)).toEqual([3, 9, 21, 45])
  expect(seen.lines[0]).toBe(`nats stores nothing: ${FULL_ERROR}. It is restarted.`)
})

test('after as many successes the next restart is soon again', async () => {
  const { answers, asked, seen, end } = await watched((first) => (first.full = 503))
  seen.heals = true
  const failingFrom = [0]
  for (const times of [1, 2, 3]) {
    await expect.poll(() => seen.restartsAt.length).toBe(times)
    const healthyFrom = asked()
    await expect.poll(asked).toBeGreaterThan(healthyFrom + 8)
    failingFrom.push(asked())
    answers.full = 503
  }
  await expect.poll(() => seen.restartsAt.length).toBe(4)
  await end()
  // One more, for a question that was on its way.
  expect(seen.restartsAt.map((at, n) => at - (failingFrom[n] ?? 0) <= 4)).toEqual([true, true, true, true])
})

test('while its disk is full it is not restarted, one line says so, and it is restarted once there is room', async () => {
  const { asked, seen, end } = await watched((answers) => (answers.full = 503))
  seen.free = 65_536
  await expect.poll(asked).toBeGreaterThan(12)
  expect(seen.restartsAt).toEqual([])
  expect(seen.lines).toEqual([
    `The disk of the broker is full: 64 KiB are free in /data, and no reads are stored (${FULL_ERROR}). Free space there. Then nats starts again by itself.`,
  ])
  seen.free = 1e9
  await expect.poll(() => seen.restartsAt.length).toBeGreaterThan(0)
  await end()
})

test('a broker that was started on a full disk and may use less than it holds is restarted', async () => {
  const { seen, end } = await watched((answers) => (answers.storage = 99_500_000))
  await expect.poll(() => seen.restartsAt.length).toBeGreaterThan(0)
  await end()
  expect(seen.lines[0]).toBe(
    'nats stores nothing: it holds 99500000 bytes and may use 100000000. It is restarted.',
  )
})

test('a broker that still reads its streams is left alone', async () => {
  const { answers, askedIfUp, seen, end } = await watched((first) =>
    Object.assign(first, { full: 503, serverOnly: 503 }),
  )
  await expect.poll(askedIfUp).toBeGreaterThan(12)
  expect(seen.restartsAt).toEqual([])
  answers.serverOnly = 200 // it has read them, and fails
  await expect.poll(() => seen.restartsAt.length).toBeGreaterThan(0)
  await end()
})
