import { routePath, routes } from '@whereabouts/contracts/routes'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'

/** The operations that tools use. All of them read. */
export type ReadId =
  | 'listAssets'
  | 'listLocations'
  | 'listAssetLocations'
  | 'listAssetHistory'
  | 'listMovements'
  | 'listSightings'
  | 'listReaders'

type Sent = {
  params?: Readonly<Record<string, number>>
  query?: Readonly<Record<string, string | number | boolean | undefined>>
}
type Answer<Id extends ReadId> = z.output<(typeof routes)[Id]['success']['schema']>

/** Reads as the caller of the tool. Throws a `ToolError` with what the API says against it. */
export type Read = <Id extends ReadId>(operationId: Id, sent?: Sent) => Promise<Answer<Id>>

/** What a tool cannot do, and what helps: a result for the assistant, and no fault of the protocol. */
export class ToolError extends Error {
  override readonly name = 'ToolError'
}

/** Who reads: headers of each of its requests, its address, and how long it waits. */
export type Reader = { headers: Readonly<Record<string, string>>; ip: string; signal: AbortSignal }

/** Sends each read through the whole pipeline of this gateway, like a request that came from outside. */
export function reader(app: FastifyInstance, { headers, ip, signal }: Reader): Read {
  return async (operationId, { params = {}, query = {} } = {}) => {
    const row = routes[operationId]
    const path = routePath(row).replaceAll(/\{(\w+)\}/g, (_part, name: string) => String(params[name]))
    const search = new URLSearchParams()
    for (const [name, value] of Object.entries(query))
      if (value !== undefined) search.set(name, String(value))
    const answer = await app.inject({
      method: row.method,
      url: `${path}?${search.toString()}`,
      headers,
      remoteAddress: ip,
      signal,
    })
    if (answer.statusCode !== row.success.status) throw refusal(answer.body)
    return row.success.schema.parse(JSON.parse(answer.body)) as Answer<typeof operationId>
  }
}

/** What helps beyond the detail, by the type of the error. */
const ADVICE: Readonly<Record<string, string>> = {
  forbidden: 'Use an API key that has this scope.',
  unauthorized: 'Check the credentials in the settings of this server.',
  not_found: 'It may have been deleted since.',
}

const Envelope = z.object({
  error: z.object({
    type: z.string(),
    detail: z.string(),
    fields: z.array(z.object({ message: z.string() })).optional(),
    request_id: z.string(),
  }),
})

function refusal(body: string): ToolError {
  const { type, detail, fields = [], request_id: id } = Envelope.parse(JSON.parse(body)).error
  const parts = [`${type}: ${detail}.`, ...fields.map(({ message }) => `${message}.`), ADVICE[type]]
  return new ToolError([...parts, `(request ${id})`].filter(Boolean).join(' '))
}
