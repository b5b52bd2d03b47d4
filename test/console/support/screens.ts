import { unwrap } from '@whereabouts/client/client'
import { newReader, readerViews, type Organization } from '../../system/organization.ts'
import { saved } from './moves.ts'

/** A screen of signed-in people. `loads`: it calls the API when it opens. */
export type ScreenPath = { name: string; path: string; loads: boolean }

const screen = (name: string, path: string, loads = true): ScreenPath => ({ name, path, loads })

/** Gives the organization one thing of each kind. Returns every screen. */
export async function screensOf(organization: Organization): Promise<ScreenPath[]> {
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
  return [
    screen('overview', '/'),
    screen('floor', '/floor'),
    screen('assets', '/assets'),
    screen('asset', `/assets/${assetId}`),
    screen('imports', '/imports'),
    screen('import', `/imports/${importId}`),
    screen('locations', '/locations'),
    screen('location', `/locations/${locationId}`),
    screen('start', '/start'),
    screen('readers', '/readers'),
    screen('reader', `/readers/${reader?.id}`),
    screen('positions', '/positions'),
    screen('unknown-tags', '/unknown-tags'),
    screen('api-keys', '/api-keys'),
    screen('webhook', '/webhook'),
    screen('members', '/members'),
    screen('limits', '/limits'),
    screen('account', '/account'),
    screen('movements', '/movements'),
    screen('live', '/live', false),
    screen('inventory', '/inventory', false),
  ]
}
