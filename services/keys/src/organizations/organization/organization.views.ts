import type { AssetType } from '@whereabouts/contracts/resources/catalog/assets'
import type { OrgRow } from '../../db.ts'

export const organizationView = (org: OrgRow) => ({
  ...shown(org),
  timezone: org.timezone,
  retention_days: retentionOf(org),
})

export const shown = ({ id, name, created_at }: OrgRow) => ({ id, name, created_at })

export function retentionOf({ retention_days: days }: OrgRow): Record<AssetType, number | null> {
  const { asset, person, inventory }: Partial<Record<string, number>> = days
  return { asset: asset ?? null, person: person ?? null, inventory: inventory ?? null }
}
