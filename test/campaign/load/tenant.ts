import { createClient, exchangeKey, unwrap } from '@whereabouts/client/client'
import { signIn } from '@whereabouts/client/sign-in'
import { AssetLedger, type OrgLedger } from '../ledger/ledger.ts'
import { newAsset, newLocation, newOrganization, newReader, type ApiKey } from '../../system/organization.ts'
import { operatorOf } from '../../system/operator.ts'
import type { CampaignSystem } from '../system/campaign-system.ts'

/** An organization of a round, with everything that readers see. */
export type Tenant = {
  n: number
  id: number
  /** Of a session of the administrator. */
  adminToken: string
  /** Of a key with all scopes, whose bucket does not become empty. */
  keyToken: string
  readerKey: ApiKey
  /** Location ids; the reader `gate-<i>` stands at the i-th. */
  locations: { id: number; key: string }[]
  /** Value of the tag by asset id. */
  tags: Map<number, string>
  /** Assets without tags, which only have old history. */
  oldAssetIds: number[]
  webhook: { id: number; secret: string; url: string }
  ledger: OrgLedger
}

const LOCATIONS = 5
const ASSETS = 50
const OLD_ASSETS = 30

export async function newTenant(system: CampaignSystem, n: number): Promise<Tenant> {
  const place = { urls: { base: system.base } }
  const org = await newOrganization(place, `campaign-${n}`)
  const anyone = createClient({ baseUrl: system.base })
  const session = await signIn(anyone, org.login)
  const unlimited = await operatorOf(system.stack)([
    'key',
    'limit',
    org.integratorKey.clientId,
    '--per-minute',
    '1000000',
  ])
  if (unlimited.exitCode !== 0) throw new Error(unlimited.stderr)
  const { access_token: keyToken } = await exchangeKey(anyone, org.integratorKey)

  const locations: Tenant['locations'] = []
  for (let i = 0; i < LOCATIONS; i += 1) {
    const key = `PLACE-${i}`
    const id = await newLocation(org, key, key)
    await newReader(org, { key: `gate-${i}`, format: 'canonical', locationId: id, antennas: 1 })
    locations.push({ id, key })
  }
  const tags = new Map<number, string>()
  const assets = new Map<number, AssetLedger>()
  for (let i = 0; i < ASSETS; i += 1) {
    const value = `E280116060000${n}${String(i).padStart(10, '0')}`
    const { id, external_key } = await newAsset(org, `Box ${i}`, [{ tag_type: 'rfid', value }])
    tags.set(id, value)
    assets.set(id, new AssetLedger(id, external_key))
  }
  const oldAssetIds: number[] = []
  for (let i = 0; i < OLD_ASSETS; i += 1) oldAssetIds.push((await newAsset(org, `Crate ${i}`, [])).id)
  const receiver = new URL(system.receiver.url)
  receiver.port = String(system.links.get(`webhook-dispatcher>receiver-${n}`)?.port)
  receiver.pathname = `/${n}`
  const { id, secret } = unwrap(
    await org.admin.POST('/api/v1/webhooks', { body: { url: receiver.href } }),
  ).data
  return {
    n,
    id: org.id,
    adminToken: session.access_token,
    keyToken,
    readerKey: org.readerKey,
    locations,
    tags,
    oldAssetIds,
    webhook: { id, secret, url: receiver.href },
    ledger: { id: org.id, assets },
  }
}
