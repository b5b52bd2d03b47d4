import type { Kind } from './world.ts'

export type Body = Record<string, unknown>
export type Query = Record<string, string | number | boolean | readonly (string | number)[]>

/** The calling organization, as an index into the world, and the resource in the path. */
type Target = { org: number; kind: Kind; id: number }

/** One request, ready to be sent. */
export type Operation =
  | { do: 'create'; org: number; kind: Kind; body: Body }
  | ({ do: 'get' } & Target)
  | ({ do: 'delete' } & Target)
  | ({ do: 'patch'; body: Body } & Target)
  | ({ do: 'rename'; body: Body } & Target)
  | ({ do: 'attach'; body: Body } & Target)
  | ({ do: 'detach'; tagId: number } & Target)
  | { do: 'list'; org: number; kind: Kind; query: Query }
  | { do: 'tree'; org: number; kind: 'location'; id: number; branch: Branch; query: Query }

export const branches = ['ancestors', 'children', 'descendants'] as const
type Branch = (typeof branches)[number]

type Request = { method: 'GET' | 'POST' | 'PATCH' | 'DELETE'; path: string; body?: Body }

export function requestOf(operation: Operation): Request {
  const list = `/${operation.kind}s`
  switch (operation.do) {
    case 'create':
      return { method: 'POST', path: list, body: operation.body }
    case 'list':
      return { method: 'GET', path: `${list}${queryText(operation.query)}` }
    case 'get':
      return { method: 'GET', path: `${list}/${operation.id}` }
    case 'delete':
      return { method: 'DELETE', path: `${list}/${operation.id}` }
    case 'patch':
      return { method: 'PATCH', path: `${list}/${operation.id}`, body: operation.body }
    case 'rename':
      return { method: 'POST', path: `${list}/${operation.id}/rename`, body: operation.body }
    case 'attach':
      return { method: 'POST', path: `${list}/${operation.id}/tags`, body: operation.body }
    case 'detach':
      return { method: 'DELETE', path: `${list}/${operation.id}/tags/${operation.tagId}` }
    default:
      return {
        method: 'GET',
        path: `${list}/${operation.id}/${operation.branch}${queryText(operation.query)}`,
      }
  }
}

function queryText(query: Query): string {
  const pairs = Object.entries(query).flatMap(([name, value]): [string, string][] =>
    (Array.isArray(value) ? value : [value]).map((one) => [name, String(one)]),
  )
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs).toString()}`
}

export type Reply = { status: number; body: ReplyBody }

type ReplyBody = {
  data?: unknown
  descendant_count_affected?: number
  limit?: number
  offset?: number
  total_count?: number
  error?: { type: string; detail: string; fields?: { field: string; code: string }[] }
}

/** One line for the report of a failure. */
export function describe(operation: Operation, reply: Reply): string {
  const { method, path, body } = requestOf(operation)
  const sent = body === undefined ? '' : JSON.stringify(body)
  const refusal = reply.body.error?.fields ?? reply.body.error?.detail ?? ''
  return `org ${operation.org}: ${method} ${path} ${sent} → ${reply.status} ${JSON.stringify(refusal)}`
}
