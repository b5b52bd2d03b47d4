import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A clock that moves only when nothing else can: no request is under way, and somebody waits. */
export class TestClock {
  ms = 0
  #waiting: { at: number; done: () => void }[] = []
  #underWay = 0

  readonly now = (): number => this.ms

  readonly wait = (ms: number, signal: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      signal.throwIfAborted()
      const one = { at: this.ms + ms, done: resolve }
      this.#waiting.push(one)
      signal.addEventListener('abort', () => {
        this.#waiting = this.#waiting.filter((other) => other !== one)
        reject(signal.reason)
      })
    })

  /** The `fetch` of a client, so that the clock knows of its requests. */
  readonly fetch = async (request: Request): Promise<Response> => {
    this.#underWay += 1
    try {
      const response = await fetch(request)
      const { status, headers } = response
      return new Response(await response.arrayBuffer(), { status, headers })
    } finally {
      this.#underWay -= 1
    }
  }

  /** How many wait. */
  get waiting(): number {
    return this.#waiting.length
  }

  /** Of a client. */
  get options() {
    return { now: this.now, wait: this.wait, fetch: this.fetch }
  }

  /** Moves until `work` has ended. */
  async run<T>(work: Promise<T>): Promise<T> {
    let isDone = false
    const ended = work.finally(() => (isDone = true))
    ended.catch(() => undefined)
    for (let quiet = 0; !isDone;) {
      await new Promise(setImmediate)
      quiet = this.#underWay > 0 ? 0 : quiet + 1
      if (quiet < 5 || this.#waiting.length === 0) continue
      this.ms = Math.max(this.ms, Math.min(...this.#waiting.map(({ at }) => at)))
      const due = this.#waiting.filter(({ at }) => at <= this.ms)
      this.#waiting = this.#waiting.filter(({ at }) => at > this.ms)
      for (const { done } of due) done()
      quiet = 0
    }
    return ended
  }
}

/** The bucket of a key: 60 requests a minute, 120 at once after a pause. */
export class Bucket {
  readonly #now: () => number
  #tokens = 120
  #at = 0
  taken = 0
  refused = 0

  constructor(now: () => number) {
    this.#now = now
  }

  get tokens(): number {
    this.#tokens = Math.min(120, this.#tokens + (this.#now() - this.#at) / 1_000)
    this.#at = this.#now()
    return this.#tokens
  }

  take(): boolean {
    const isLeft = this.tokens >= 1 - 1e-6
    if (isLeft) this.#tokens -= 1
    this[isLeft ? 'taken' : 'refused'] += 1
    return isLeft
  }

  get headers(): Record<string, string> {
    const remaining = Math.min(60, Math.floor(this.tokens + 1e-6))
    return { 'ratelimit-policy': '60;w=60', 'x-ratelimit-remaining': String(remaining) }
  }
}

export type Answer = { status: number; headers?: Record<string, string>; body?: unknown }

/** Starts a server on a socket that answers JSON. `await using` ends it. */
export async function serve(answer: (request: IncomingMessage, body: string) => Answer) {
  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    let body = ''
    request.on('data', (chunk) => (body += String(chunk)))
    request.on('end', () => {
      const { status, headers, body: answered } = answer(request, body)
      response.writeHead(status, { 'content-type': 'application/json', ...headers })
      response.end(
        typeof answered === 'string' || answered === undefined ? answered : JSON.stringify(answered),
      )
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

export const refusal = (type: string, more: object = {}) => ({
  error: { type, title: type, detail: type, instance: '/', request_id: 'R1', ...more },
})

/** As the API: assets that exist under another name, and a bucket that counts GET and PATCH. */
export function catalog(bucket: Bucket) {
  const names = new Map<string, string>()
  const tokens = { issued: 0, valid: new Set<string>() }
  const answer = ({ method = '', url = '', headers }: IncomingMessage, body: string): Answer => {
    if (url.endsWith('/oauth/token')) {
      const token = `t${(tokens.issued += 1)}`
      tokens.valid.add(token)
      const pair = { access_token: token, refresh_token: 'r', token_type: 'Bearer', expires_in: 90_000 }
      return { status: 200, body: pair }
    }
    if (!tokens.valid.has(headers.authorization?.slice(7) ?? '')) return { status: 401, body: refusal('unauthorized') }
    const sent = body === '' ? {} : (JSON.parse(body) as { name?: string; external_key?: string })
    if (method === 'POST') {
      const conflict = { resource: 'asset', id: Number(sent.external_key), external_key: sent.external_key }
      return { status: 409, body: refusal('conflict', { conflict }) }
    }
    const isTaken = bucket.take()
    const shown = method === 'GET' ? bucket.headers : {}
    if (!isTaken) {
      const seconds = Math.max(1, Math.ceil(1 - bucket.tokens))
      const detail = { detail: `Retry after ${seconds} seconds` }
      return { status: 429, headers: { ...shown, 'retry-after': String(seconds) }, body: refusal('rate_limited', detail) }
    }
    const id = url.split('/').at(-1) ?? ''
    if (method === 'PATCH') names.set(id, sent.name ?? '')
    return { status: 200, headers: shown, body: { data: { id: Number(id), name: names.get(id) ?? 'old', tags: [] } } }
  }
  return { names, tokens, answer }
} // oxfmt-ignore
