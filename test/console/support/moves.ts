import { unwrap } from '@whereabouts/client/client'
import { newAsset, newLocation, type Organization } from '../../system/organization.ts'

let count = 0

/** Saves a new asset at a new location: causes a movement in the webhook and the live feed. */
export async function saved(
  organization: Organization,
  name = 'Pallet',
): Promise<{ assetId: number; locationId: number }> {
  count += 1
  const key = `DOCK-${process.pid}-${count}`
  const locationId = await newLocation(organization, `Dock ${count}`, key)
  const asset = await newAsset(organization, name, [])
  const body = { asset_identifiers: [asset.external_key], location_identifier: key }
  unwrap(await organization.integrator.POST('/api/v1/inventory/save', { body }))
  return { assetId: asset.id, locationId }
}
