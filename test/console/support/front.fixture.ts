import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Browser } from 'playwright-core'
import { launchFullBrowser } from '../../system/browser.ts'
import { STACK, test as base } from './visitor.fixture.ts'

const LIVE = '/api/v1/movements/live'
const RENEWAL = '/session/refresh'

/** A server in front of the gateway that sees what the browser sends. */
export type Front = {
  /** The same server under two names. Browsers treat `far` as another machine, over plain HTTP. */
  urls: { near: string; far: string }
  /** Open connections of the live feed. */
  open: () => number
  /** Delays answers of session renewals, as a slow network does. */
  slowRenewals: (ms: number) => void
}

async function startFront(): Promise<Front & { stop: () => Promise<void> }> {
  const live = new Set<ServerResponse>()
  let renewalMs = 0
  const server = createServer((incoming, response) => {
    if (incoming.url === LIVE) {
      live.add(response)
      response.on('close', () => live.delete(response))
    }
    passOn(incoming, response, incoming.url === RENEWAL ? renewalMs : 0)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    urls: { near: `http://127.0.0.1:${port}`, far: `http://plain.example:${port}` },
    open: () => live.size,
    slowRenewals: (ms) => {
      renewalMs = ms
    },
    stop: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function passOn(incoming: IncomingMessage, response: ServerResponse, delayMs: number): void {
  const { method, headers, url: path } = incoming
  const { hostname, port } = new URL(STACK.urls.base)
  const outgoing = request({ hostname, port, method, path, headers }, (answer) => {
    answer.on('error', () => response.destroy())
    setTimeout(() => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
    }, delayMs)
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

/** `test`, in a browser as people have it, with the back/forward cache. */
export const testInFullBrowser = test.extend<{ browser: Browser }>({
  browser: [
    async ({}, use) => {
      const browser = await launchFullBrowser()
      await use(browser)
      await browser.close()
    },
    { scope: 'worker' },
  ],
})
