import { z } from 'zod'
import { Instant, parseInstant } from '../../rules/instant.ts'
import { objectRule } from '../../rules/object-rules.ts'
import { dataOf, pathId } from '../../rules/query.ts'
import type { Route } from '../../route.ts'

const at = (value: unknown) => (typeof value === 'string' ? parseInstant(value) : undefined)

const inOrder = objectRule(({ from, to }) => {
  const [first, last] = [at(from), at(to)]
  return first !== undefined && last !== undefined && last < first
    ? [{ field: 'to', code: 'invalid_value', message: 'to must not be before from' }]
    : []
})

/** Both ends are included, as in the history. Without a bound, all is erased on that side: `{}` erases the whole history. */
export const HistoryErasure = z
  .strictObject({ from: Instant.optional(), to: Instant.optional() })
  .check(inOrder)
  .meta({
    id: 'HistoryErasure',
    example: { from: '2026-11-01T00:00:00.000Z', to: '2026-11-21T10:00:00.000Z' },
  })

/** How many rows of the history were erased, and how many movements. */
export const ErasedHistory = z
  .object({ rows: z.int(), movements: z.int() })
  .meta({ id: 'ErasedHistory', example: { rows: 28_800, movements: 96 } })

export const eraseRoutes = {
  eraseAssetHistory: {
    method: 'POST',
    path: '/assets/{asset_id}/erase',
    upstream: 'tracking',
    access: 'session',
    role: 'admin',
    counted: false,
    described: false,
    summary: 'Erase the history of an asset for good',
    description:
      'Erases history and movements between two instants, or all of them, also of a deleted asset. If its last known location is among ' +
      'them, the newest row that is left counts. It cannot be undone, and can be repeated.',
    params: z.strictObject({ asset_id: pathId }),
    body: HistoryErasure,
    success: { status: 200, schema: dataOf(ErasedHistory) },
    errors: ['validation_error', 'bad_request', 'not_found'],
  },
} as const satisfies Record<string, Route>
