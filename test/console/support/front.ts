import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test as base } from './visitor.fixture.ts'
import { STACK } from './visitor.fixture.ts'

const LIVE = '/api/v1/movements/live'

/** A server in front of the gateway that sees what the browser sends, also from workers. */
export type Front = {
  /** The same server under two names. Browsers treat `far` as another machine, over plain HTTP. */
  urls: { near: string; far: string }
  /** Open connections of the live feed. */
  open: () => number
  /** Answers requests of the live feed instead of the gateway. Undefined passes them on again. */
  answerLive: (answer: ((response: ServerResponse) => void) | undefined) => void
  /** Ends the open connections of the live feed. */
  cut: () => void
}

async function startFront(): Promise<Front & { stop: () => Promise<void> }> {
  const live = new Set<ServerResponse>()
  let answer: ((response: ServerResponse) => void) | undefined
  const server = createServer((incoming, response) => {
    if (incoming.url === LIVE) {
      live.add(response)
      response.on('close', () => live.delete(response))
      if (answer) return answer(response)
    }
    passOn(incoming, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    urls: { near: `http://127.0.0.1:${port}`, far: `http://plain.example:${port}` },
    open: () => live.size,
    answerLive: (next) => {
      answer = next
    },
    cut: () => live.forEach((response) => response.destroy()),
    stop: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function passOn(incoming: IncomingMessage, response: ServerResponse): void {
  const { method, headers, url: path } = incoming
  const { hostname, port } = new URL(STACK.urls.base)
  const outgoing = request({ hostname, port, method, path, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers)
    answer.on('error', () => response.destroy())
    answer.pipe(response)
  })
  outgoing.on('error', () => response.destroy())
  response.on('close', () => outgoing.destroy())
  incoming.pipe(outgoing)
}

export const test = base.extend<{ front: Front }>({
  front: async ({}, use) => {
    const { stop, ...front } = await startFront()
    await use(front)
    await stop()
  },
})
