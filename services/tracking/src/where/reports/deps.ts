import type { TenantDatabase } from '@whereabouts/db/tenant/tenant-database'
import type { Tables } from '../../db.ts'
import type { CatalogView } from '../../catalog/catalog-view.ts'

export type ReportDeps = {
  db: Pick<TenantDatabase<Tables>, 'forOrg'>
  /** Few connections, for long statements, so that other requests do not wait for them. */
  longReads: Pick<TenantDatabase<Tables>, 'forOrg'>
  view: CatalogView
  retentionDays: number
  now?: () => number
}
