import { z } from 'zod'
import { openEnum } from '../../rules/open-enum.ts'
import { dataOf } from '../../rules/query.ts'
import type { Route } from '../../route.ts'

/** What an organization may store (ADR 91). Names that end in `_bytes` count bytes. */
export const storageLimits = [
  'assets',
  'locations',
  'tags',
  'stored_bytes',
  'image_bytes',
  'import_bytes',
  'export_bytes',
  'readers',
  'scan_points',
  'kept_messages',
  'history_days',
  'api_keys',
] as const
export type StorageLimit = (typeof storageLimits)[number]

/** History has the retention of the installation, and kept messages follow from the readers. */
export const settableLimits = storageLimits.filter(
  (name) => name !== 'history_days' && name !== 'kept_messages',
)

export const LimitView = z
  .object({
    name: openEnum(storageLimits).meta({
      example: 'assets',
    }),
    limit: z.int().meta({ description: 'Beyond it, what would add more answers 409.', example: 1_000_000 }),
    used: z.int().meta({ description: 'How much the organization stores now.', example: 512 }),
  })
  .meta({ id: 'Limit', description: 'How much of something an organization may store, and stores.' })
export type LimitView = z.infer<typeof LimitView>

export const limitRoutes = {
  listLimits: {
    method: 'GET',
    path: '/limits',
    upstream: 'keys',
    access: 'any',
    counted: true,
    described: true,
    summary: 'List limits and use',
    description:
      'Returns what the organization may store and what it stores, also in bytes (`…_bytes`). A request that would store more answers ' +
      '409 and names the limit. Deleted assets, locations and tags count as `stored_bytes` only. The operator can raise a limit.',
    success: { status: 200, schema: dataOf(z.array(LimitView)) },
    errors: ['validation_error'],
  },
} as const satisfies Record<string, Route>
