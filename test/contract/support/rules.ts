import type { Api } from './api.ts'
import { catalogOf } from './catalog.ts'
import { succeed } from './organization.ts'

/** Saves assets at a location, which moves them there. */
export async function saveAt(
  api: Api,
  token: string,
  { external_key: location_identifier }: { external_key: string },
  ...assets: readonly { external_key: string }[]
): Promise<void> {
  const asset_identifiers = assets.map(({ external_key }) => external_key)
  await succeed(api.call('saveInventory', { token, body: { asset_identifiers, location_identifier } }))
}

/** A rule that tells when an asset enters `dock`, and the alert of one that did. `yard`: where it was before. */
export async function raiseAlert(api: Api, token: string, settings: object = {}) {
  const { asset: newAsset, location } = catalogOf(api, token)
  const [yard, dock, asset] = [
    await location({ name: 'Yard' }),
    await location({ name: 'Dock' }),
    await newAsset({ name: 'Forklift' }),
  ]
  await saveAt(api, token, yard, asset)
  const body = { name: 'At the dock', kind: 'entered', scope: { location_ids: [dock.id] }, ...settings }
  const rule = (await succeed(api.call('createRule', { token, body }))).body.data
  await saveAt(api, token, dock, asset)
  const listing = api.call('listAlerts', { token, query: { rule_id: rule.id } })
  const [alert] = (await succeed(listing)).body.data
  if (!alert) throw new Error('the movement raised no alert')
  return { yard, dock, asset, rule, alert }
}

/** Assets that nobody ever saw: more than a rule raises without being asked. */
export async function newUnseenAssets(api: Api, token: string, count: number): Promise<void> {
  const MOST_ITEMS = 500
  for (let made = 0; made < count; made += MOST_ITEMS) {
    const items = Array.from({ length: Math.min(MOST_ITEMS, count - made) }, (_, i) => ({
      external_key: `UNSEEN-${made + i}`,
      name: 'Unseen',
    }))
    await succeed(api.call('saveAssetBatch', { token, body: { items } }))
  }
}
