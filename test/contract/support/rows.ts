import type { Access, Method, Route } from '@whereabouts/contracts/route'
import { routePath, routes, type OperationId } from '@whereabouts/contracts/routes'

/** A row of the route table with its operation id and its whole path, for `test.for`. */
export type Row = Route & { operationId: OperationId; url: string }

export const rows: Row[] = (Object.entries(routes) as [OperationId, Route][]).map(([operationId, row]) =>
  Object.assign({}, row, { operationId, url: routePath(row) }),
)

export const rowsWith = (method: Method): Row[] => rows.filter((row) => row.method === method)

export const protectedRows: Row[] = rows.filter(({ access }) => access !== 'none')

/** Only for people: a key is refused. */
export const isForSessions = (access: Access): boolean => access === 'session'

/** The id of no resource: the largest possible one, which is practically never minted. */
export const UNKNOWN_ID = Number.MAX_SAFE_INTEGER

/** For ids that are not numbers. */
const UNKNOWN_UUID = '00000000-0000-4000-8000-000000000000'
const UNKNOWN_HASH = '0'.repeat(64)
const unknownTexts: Readonly<Record<string, string>> = {
  session_id: UNKNOWN_UUID,
  delivery_id: UNKNOWN_UUID,
  hash: UNKNOWN_HASH,
}

/** Unknown ids for every path parameter of a row. */
export const unknownParams = ({ path }: Route): Record<string, number | string> =>
  Object.fromEntries(
    [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => [name, unknownTexts[name] ?? UNKNOWN_ID]),
  )

/** The query parameters of a row, if any. */
export function parametersOf({ query }: Route): string[] {
  const shape = query && 'shape' in query ? query.shape : {}
  return Object.keys(shape as object)
}

export const listRows: Row[] = rows.filter((row) => parametersOf(row).includes('offset'))

/** A caller that the row admits: the administrator where only people may, otherwise a key, which has its own bucket. */
export const callerOf = ({ access }: Route, { admin, token }: { admin: string; token: string }): string =>
  isForSessions(access) ? admin : token

/** The options to call an operation with unknown ids, without the body. */
export const callOf = (operationId: OperationId, org: { id: number }) => ({
  params: { ...unknownParams(routes[operationId]), org_id: org.id },
})
