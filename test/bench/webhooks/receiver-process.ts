// The process of `startReceiver`: an HTTPS endpoint that does as little as possible and records the arrivals.
import { createServer } from 'node:https'
import type { ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { makeCertificate } from '@whereabouts/testing/certificates'
import { monotonicMs } from './bench.ts'
import type { Arrivals, Order } from './receiver.ts'

const PROGRESS_MS = 2

const { key, cert } = await makeCertificate()
let arrivals = empty()
/** Numbers of the deliveries that were answered 204. */
let taken = new Set<number>()
let hangingPath: string | undefined
const hanging = new Map<ServerResponse, number>()

function empty(): Arrivals {
  return { numbers: [], at: [] }
}

function reply(response: ServerResponse, number: number): void {
  response.writeHead(204).end()
  taken.add(number)
}

const server = createServer({ key, cert, keepAliveTimeout: 30_000 }, (request, response) => {
  request.resume().on('end', () => {
    // The last group of the delivery's UUID is its number, see events.ts.
    const number = Number.parseInt(String(request.headers['x-service-delivery']).slice(-12), 16)
    arrivals.at.push(monotonicMs())
    arrivals.numbers.push(number)
    if (request.url !== hangingPath) return reply(response, number)
    hanging.set(response, number)
    response.on('close', () => hanging.delete(response)) // the dispatcher gave up and will send it again
  })
})

function follow(order: Order): void {
  if (order.do === 'hang') hangingPath = order.path
  if (order.do === 'release') {
    hangingPath = undefined
    for (const [response, number] of hanging) reply(response, number)
    hanging.clear()
  }
  if (order.do === 'report') {
    process.send?.({ report: arrivals })
    arrivals = empty()
    taken = new Set()
  }
}

server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo
  process.send?.({ url: `https://127.0.0.1:${port}`, ca: cert })
})
let reported = 0
setInterval(() => {
  if (reported === taken.size) return
  reported = taken.size
  process.send?.({ taken: reported })
}, PROGRESS_MS)
process.on('message', follow)
process.on('disconnect', () => process.exit(0))
