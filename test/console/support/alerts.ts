import { unwrap } from '@whereabouts/client/client'
import { expect } from 'vitest'
import { newAsset, newLocation, type Organization } from '../../system/organization.ts'

let count = 0

type Settings = { name?: string; severity?: 'info' | 'warning' | 'critical' }

/** A gate, and a rule that tells what enters it. `move` saves an asset there or in the yard beside it. */
export async function guarded(
  org: Organization,
  { name = 'At the gate', severity = 'warning' }: Settings = {},
) {
  count += 1
  const [gate, yard] = [`GATE-${process.pid}-${count}`, `YARD-${process.pid}-${count}`]
  const gateId = await newLocation(org, `Gate ${count}`, gate)
  const yardId = await newLocation(org, `Yard ${count}`, yard)
  const body = { name, kind: 'entered' as const, severity, scope: { location_ids: [gateId] } }
  const rule = unwrap(await org.admin.POST('/api/v1/rules', { body })).data
  const move = async ({ external_key }: { external_key: string }, to: 'gate' | 'yard') => {
    const saving = { asset_identifiers: [external_key], location_identifier: to === 'gate' ? gate : yard }
    unwrap(await org.integrator.POST('/api/v1/inventory/save', { body: saving }))
  }
  /** A new asset that entered the gate from the yard. */
  const enter = async (asset: string) => {
    const made = await newAsset(org, asset, [])
    await move(made, 'yard')
    await move(made, 'gate')
    return made
  }
  return { rule, gateId, gateName: `Gate ${count}`, yardId, yardName: `Yard ${count}`, move, enter }
}

/** One open alert. */
export async function raised(org: Organization, asset: string, settings?: Settings) {
  const scene = await guarded(org, settings)
  const { id } = await scene.enter(asset)
  const query = { asset_id: [id] }
  const find = async () => unwrap(await org.admin.GET('/api/v1/alerts', { params: { query } })).data[0]?.id
  await expect.poll(find, { timeout: 15_000 }).toBeDefined()
  return { ...scene, assetId: id, alertId: (await find()) ?? 0 }
}
