import { Agent, request } from 'undici'
import type { Failure, Part } from '../ledger/causes.ts'
import type { Finding } from '../ledger/ledger.ts'

export type Call = {
  /** For messages and figures, such as `create asset`. */
  operation: string
  /** What it depends on besides the gateway and PostgreSQL. */
  needs: readonly Part[]
  method?: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  path: string
  token: string
  body?: object
  /** The statuses that the contract allows here, besides a 5xx that a fault explains. */
  expect: readonly number[]
}

/** `status` is undefined if the answer is unknown: a 5xx, or none at all. The request may have been carried out. */
export type Answer = { status: number | undefined; data: unknown; startedAtMs: number; endedAtMs: number }

/** Sends the requests of a round and notes what came back. */
export type Caller = {
  call(call: Call): Promise<Answer>
  failures: Failure[]
  findings: Finding[]
  /** Requests by operation. */
  counts: Map<string, number>
  close(): Promise<void>
}

const TIMEOUT_MS = 20_000

export function startCaller(base: string): Caller {
  // Closes idle connections before a draining gateway ends.
  const dispatcher = new Agent({ keepAliveTimeout: 300, keepAliveMaxTimeout: 300, connections: 64 })
  const [failures, findings, counts]: [Failure[], Finding[], Map<string, number>] = [[], [], new Map()]

  async function send({ method = 'GET', path, token, body }: Call) {
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json'
    const headers = {
      'user-agent': 'campaign/1',
      ...(token !== '' && { authorization: `Bearer ${token}` }),
      ...(body && { 'content-type': type }),
    }
    const reply = await request(`${base}${path}`, {
      method,
      headers,
      dispatcher,
      signal: AbortSignal.timeout(TIMEOUT_MS),
      ...(body && { body: JSON.stringify(body) }),
    })
    const text = await reply.body.text()
    return { status: reply.statusCode, text }
  }

  return {
    failures,
    findings,
    counts,
    async call(call) {
      counts.set(call.operation, (counts.get(call.operation) ?? 0) + 1)
      const startedAtMs = Date.now()
      const reply = await send(call).catch((error: unknown) => ({ status: 0, text: String(error) }))
      const times = { startedAtMs, endedAtMs: Date.now() }
      // What a fault causes is a 503.
      if (reply.status === 500)
        findings.push({ kind: 'internal error', what: `${call.operation}: ${reply.text.slice(0, 400)}` })
      if (reply.status === 0 || reply.status >= 500) {
        const problem = reply.status === 0 ? reply.text : `${reply.status} ${reply.text.slice(0, 300)}`
        failures.push({
          what: `${call.operation}: ${problem}`,
          needs: ['gateway', 'postgres', ...call.needs],
          ...times,
        })
        return { status: undefined, data: undefined, ...times }
      }
      if (!call.expect.includes(reply.status))
        findings.push({
          kind: `unexpected ${reply.status}`,
          what: `${call.operation} (${call.method ?? 'GET'} ${call.path}) at ${new Date(startedAtMs).toISOString()}: ${reply.status} ${reply.text.slice(0, 400)}`,
        })
      const json = (reply.text === '' ? {} : JSON.parse(reply.text)) as { data?: unknown }
      return { status: reply.status, data: json.data ?? json, ...times }
    },
    close: () => dispatcher.destroy(),
  }
}
