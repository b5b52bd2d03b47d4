import { unwrap } from '@whereabouts/client/client'
import { expect } from 'vitest'
import { newAsset, newLocation, newWebhook, type Organization, type Tag } from '../../system/organization.ts'
import { connectReader } from '../../system/readers.ts'

type Stack = { urls: { nats: string; mqtt: string; receiver: string } }

const rfid = (value: string): Tag => ({ tag_type: 'rfid', value })

/** Things with names as long as people give them. */
const THINGS: readonly [name: string, tags: Tag[]][] = [
  ['Forklift 7', [rfid('E28011606000020A1B2C3D4E'), { tag_type: 'ble', value: 'AC:23:3F:A1:B2:C3' }]],
  ['Reach truck with extended mast and camera, northern hall', [rfid('E28011606000020A1B2C3D4F')]],
  ['Box 001', [{ tag_type: 'barcode', value: 'Box-000001' }]],
  ['Pallet of pump housings, series KX-2000', []],
]

/** Fills an organization: locations in levels, assets that moved, reads of unknown tags, a webhook, an invitation. */
export async function furnish(org: Organization, stack: Stack): Promise<void> {
  const site = await newLocation(org, 'Hamburg distribution centre', 'HAMBURG')
  for (const [name, key] of [
    ['Receiving dock, gate 1', 'DOCK-1'],
    ['Goods inspection and quarantine', 'INSPECTION'],
    ['Bay B4', 'BAY-B4'],
  ] as const)
    await newLocationIn(org, site, name, key)
  const assets = await Promise.all(THINGS.map(([name, tags]) => newAsset(org, name, tags)))
  const keys = assets.map(({ external_key }) => external_key)
  for (const location of ['DOCK-1', 'INSPECTION'])
    unwrap(
      await org.integrator.POST('/api/v1/inventory/save', {
        body: { asset_identifiers: keys, location_identifier: location },
      }),
    )
  await readTags(org, stack)
  await newWebhook(org, stack.urls.receiver)
  unwrap(
    await org.admin.POST('/api/v1/orgs/{org_id}/invitations', {
      params: { path: { org_id: org.id } },
      body: { email: 'a.very.long.name@logistics-department.example', role: 'member' },
    }),
  )
}

async function newLocationIn(org: Organization, parentId: number, name: string, key: string): Promise<void> {
  const body = { name, external_key: key, parent_id: parentId }
  unwrap(await org.integrator.POST('/api/v1/locations', { body }))
}

/** Reads of known and unknown tags of a reader that nobody has set up. Resolves when the unknown ones are listed. */
async function readTags(org: Organization, stack: Stack): Promise<void> {
  const reader = await connectReader(stack, org.readerKey, 'nats')
  const values = ['E28011606000020A1B2C3D4E', 'E200AAAA1160600002071B2C', 'E200BBBB1160600002071B2C']
  const reads = values.map((value) => ({ tag: { type: 'rfid', value }, antenna: 1, rssi_dbm: -54.5 }))
  await reader.publish(org.id, 'portal-north-gate-1', 'canonical', Buffer.from(JSON.stringify({ reads })))
  await reader.close()
  const unknown = async () => unwrap(await org.admin.GET('/api/v1/unknown-tags')).total_count
  await expect.poll(unknown, { timeout: 15_000 }).toBe(2)
}
