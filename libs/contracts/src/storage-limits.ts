import { z } from 'zod'
import { openEnum } from './open-enum.ts'
import { dataOf } from './query.ts'
import type { Route } from './route.ts'

/** What an organization may store (ADR 91), and what people call it. Names that end in `_bytes` count bytes. */
export const storageLimits = {
  assets: 'Assets',
  locations: 'Locations',
  tags: 'Tags',
  stored_bytes: 'Texts and metadata, also of what was deleted',
  image_bytes: 'Images of floor plans',
  import_bytes: 'Files of imports',
  readers: 'Readers',
  scan_points: 'Scan points',
  history_days: 'Days of history',
  api_keys: 'API keys',
} as const satisfies Record<string, string>
export type StorageLimit = keyof typeof storageLimits

/** History has the retention of the installation. */
export const settableLimits = (Object.keys(storageLimits) as StorageLimit[]).filter(
  (name) => name !== 'history_days',
)

export const LimitView = z
  .object({
    name: openEnum(Object.keys(storageLimits) as [StorageLimit, ...StorageLimit[]]).meta({
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
