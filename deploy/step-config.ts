import { brokerEnv, databaseEnv } from '@whereabouts/service-kit/service/env'
import { z } from 'zod'

const address = databaseEnv.DATABASE_URL

/** Variables of `migrate.ts`; its help explains them. */
export const MigrateConfig = z.object({
  GATEWAY_DATABASE_URL: address,
  CATALOG_DATABASE_URL: address,
  TRACKING_DATABASE_URL: address,
  KEYS_DATABASE_URL: address,
  WEBHOOKS_DATABASE_URL: address,
  ADMIN_DATABASE_URL: address.optional(),
})

/** Variables of `apply-topology.ts`. */
export const TopologyConfig = z.object({
  ...brokerEnv,
  STREAM_REPLICAS: z.coerce.number().int().min(1).max(5).default(1),
  SCAN_PARTITIONS: z.coerce
    .number()
    .int()
    .refine((count) => count >= 1 && count <= 64 && Number.isInteger(Math.log2(count)), {
      error: 'must be 1, 2, 4, 8, 16, 32 or 64',
    })
    .default(1),
  SCANS_MAX_BYTES: z.coerce.number().int().min(1_048_576).optional(),
})
