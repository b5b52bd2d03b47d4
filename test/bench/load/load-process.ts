// The process of `startLoadGenerator`: runs one job after the other, and ends when its parent is gone.
import { Client } from 'undici'
import { setTimeout as wait } from 'node:timers/promises'
import type { LoadJob, LoadRequest, LoadResult } from './load.ts'

type Record = { latencies: number[]; statuses: { [status: string]: number } }

/** Sends one request and resolves with its status when the reply is complete; 0 without a reply. */
function send(client: Client, { method, path, headers, body }: LoadRequest): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>()
  let status = 0
  client.dispatch(
    { method: method ?? (body === undefined ? 'GET' : 'POST'), path, headers, body: body ?? null },
    {
      onRequestStart() {},
      onResponseStart(_controller, statusCode) {
        status = statusCode
      },
      onResponseData() {},
      onResponseEnd: () => resolve(status),
      onResponseError: () => resolve(0),
    },
  )
  return promise
}

async function measured(client: Client, request: LoadRequest, since: number, record: Record): Promise<void> {
  const status = await send(client, request)
  record.latencies.push(performance.now() - since)
  record.statuses[status] = (record.statuses[status] ?? 0) + 1
}

/** Every connection sends the next request after each reply. */
async function runClosed(job: LoadJob, clients: Client[], record: Record): Promise<void> {
  const { asked, seconds = Number.POSITIVE_INFINITY, requests = Number.POSITIVE_INFINITY } = job
  const deadline = performance.now() + seconds * 1000
  let sent = 0
  const loop = async (client: Client) => {
    while (sent < requests && performance.now() < deadline) {
      const request = asked[sent % asked.length]
      sent += 1
      if (request) await measured(client, request, performance.now(), record)
    }
  }
  await Promise.all(clients.map(loop))
}

/** Requests start at a fixed rate, so that a slow reply delays no later request. */
async function runAtRate(job: LoadJob, clients: Client[], record: Record): Promise<void> {
  const { asked, perSecond = 1, seconds = 1 } = job
  const total = Math.floor(perSecond * seconds)
  const startedAt = performance.now()
  const running: Promise<void>[] = []
  for (let i = 0; i < total; i += 1) {
    const dueAt = startedAt + (i * 1000) / perSecond
    while (performance.now() < dueAt) await wait(Math.max(0, dueAt - performance.now() - 0.5))
    const [client, request] = [clients[i % clients.length], asked[i % asked.length]]
    if (client && request) running.push(measured(client, request, dueAt, record))
  }
  await Promise.all(running)
}

async function run(job: LoadJob): Promise<LoadResult> {
  const clients = Array.from({ length: job.connections }, () => new Client(job.origin, { pipelining: 1 }))
  const record: Record = { latencies: [], statuses: {} }
  const [cpu, startedAt] = [process.cpuUsage(), performance.now()]
  await (job.perSecond === undefined ? runClosed : runAtRate)(job, clients, record)
  const { user, system } = process.cpuUsage(cpu)
  const seconds = (performance.now() - startedAt) / 1000
  await Promise.all(clients.map((client) => client.close()))
  return { ...record, requests: record.latencies.length, seconds, cpuSeconds: (user + system) / 1e6 }
}

process.on('message', (job: LoadJob) => {
  run(job).then(
    (result) => process.send?.(result),
    (error: unknown) => process.send?.({ failed: String(error) }),
  )
})
process.on('disconnect', () => process.exit(0))
