import type { Access, Method, Route } from '@whereabouts/contracts/route'
import { routePath, routes, type OperationId } from '@whereabouts/contracts/routes'

/** A row of the route table with its operation id and its whole path, for `test.for`. */
export type Row = Route & { operationId: OperationId; url: string }

export const rows: Row[] = (Object.entries(routes) as [OperationId, Route][]).map(([operationId, row]) =>
  Object.assign({}, row, { operationId, url: routePath(row) }),
)

export const rowsWith = (method: Method): Row[] => rows.filter((row) => row.method === method)

export const protectedRows: Row[] = rows.filter(({ access }) => access !== 'none')

/** Only people use it: a key is refused. */
export const isForSessions = (access: Access): boolean => access === 'session' || access === 'admin'

/** No resource carries it: ids are never above 2^53-1, and this one is not minted in a test's life. */
export const UNKNOWN_ID = Number.MAX_SAFE_INTEGER

/** Ids that are no numbers. */
const UNKNOWN_UUID = '00000000-0000-4000-8000-000000000000'
const isUuid = (parameter: string) => parameter === 'session_id'

/** A value for every path parameter of a row: ids that name nothing. */
export const unknownParams = ({ path }: Route): Record<string, number | string> =>
  Object.fromEntries(
    [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => [name, isUuid(name) ? UNKNOWN_UUID : UNKNOWN_ID]),
  )

/** The query parameters of a row; none where it takes none. */
export function parametersOf({ query }: Route): string[] {
  const shape = query && 'shape' in query ? query.shape : {}
  return Object.keys(shape as object)
}

export const listRows: Row[] = rows.filter((row) => parametersOf(row).includes('limit'))

/** A caller that the row admits: the administrator where only people may, otherwise a key, which has its own bucket. */
export const callerOf = ({ access }: Route, { admin, token }: { admin: string; token: string }): string =>
  isForSessions(access) ? admin : token

/** Everything that calling an operation with unknown ids needs besides the body. */
export const callOf = (operationId: OperationId, org: { id: number }) => ({
  params: { ...unknownParams(routes[operationId]), org_id: org.id },
})
