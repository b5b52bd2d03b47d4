import { unwrap } from '@whereabouts/client/client'
import { SIGNED_IN_PATHS, type SignedInPath } from '../../../services/console/src/screens.ts'
import { newReader, readerViews, type Organization } from '../../system/organization.ts'
import { raised } from './alerts.ts'
import { saved } from './moves.ts'

type NameOf<P extends SignedInPath> = P extends '/'
  ? 'overview'
  : P extends `/${string}/$${infer Name}Id`
    ? Name
    : P extends `/${infer Name}`
      ? Name
      : never
/** `/assets` is `assets`, `/assets/$assetId` is `asset`. */
export type ScreenName = NameOf<SignedInPath>
/** Of the screens of one thing, the name of the thing. */
type Thing = SignedInPath extends infer P ? (P extends `/${string}/$${infer Name}Id` ? Name : never) : never

/** A screen of signed-in people. `loads`: it calls the API when it opens. */
export type ScreenPath = { name: ScreenName; path: string; loads: boolean }

/** Screens that call the API only later. */
const QUIET: ReadonlySet<string> = new Set<SignedInPath>(['/live', '/inventory'])

/** Nothing listens there: the first attempt has failed at once. */
export const DEAD = 'http://127.0.0.1:9/hook'

/** Gives the organization one thing of each kind. Returns every screen of the app, in the menu or not. */
export async function screensOf(organization: Organization): Promise<ScreenPath[]> {
  const endpoint = { url: DEAD, event_types: ['asset.moved' as const] }
  const { id: webhookId } = unwrap(
    await organization.admin.POST('/api/v1/webhook-endpoints', { body: endpoint }),
  ).data
  const { assetId, locationId } = await saved(organization)
  await newReader(organization, { key: 'gate', format: 'canonical', locationId, antennas: 1 })
  const [reader] = await readerViews(organization)
  const { id: importId } = unwrap(
    await organization.admin.POST('/api/v1/imports', {
      params: { query: { resource: 'assets', dry_run: true } },
      headers: { 'content-type': 'text/csv' },
      body: 'external_key,name\nPALLET-1,Pallet\nno key,Pallet 2\n',
      bodySerializer: (text) => text,
    }),
  ).data
  const body = { dataset: 'locations', format: 'csv' } as const
  const { id: exportId } = unwrap(await organization.admin.POST('/api/v1/exports', { body })).data
  const rule = { name: 'Gone', kind: 'left' as const, scope: { location_ids: [locationId] } }
  const { id: ruleId } = unwrap(await organization.admin.POST('/api/v1/rules', { body: rule })).data
  const { alertId } = await raised(organization, 'Reach truck 4')
  const ids = {
    alert: alertId,
    asset: assetId,
    export: exportId,
    import: importId,
    location: locationId,
    reader: reader?.id ?? 0,
    rule: ruleId,
    webhook: webhookId,
  }
  return SIGNED_IN_PATHS.map((path) => screen(path, ids))
}

function screen(path: SignedInPath, ids: Readonly<Record<Thing, number>>): ScreenPath {
  const [, list = '', thing] = path.split('/')
  const name = (thing?.slice(1, -'Id'.length) ?? (list === '' ? 'overview' : list)) as ScreenName
  const things: Readonly<Record<string, number>> = ids
  return { name, path: thing === undefined ? path : `/${list}/${things[name]}`, loads: !QUIET.has(path) }
}
