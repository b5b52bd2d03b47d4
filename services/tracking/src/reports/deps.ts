import type { TenantDatabase } from '@whereabouts/db/tenant-database'
import type { Tables } from '../db.ts'
import type { CatalogView } from '../projections/catalog-view.ts'
import type { RecordStrategy } from './strategy-counter.ts'

export type ReportDeps = {
  db: TenantDatabase<Tables>
  /** Few connections, for long statements, so that other requests do not wait for them. */
  longReads: TenantDatabase<Tables>
  view: CatalogView
  retentionDays: number
  recordStrategy: RecordStrategy
  now?: () => number
}
