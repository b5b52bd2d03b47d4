import type { About } from '@whereabouts/contracts/messages/about'
import { expect } from 'vitest'
import type { Catalog } from '../../../test/catalog.fixture.ts'
import { test } from '../../../test/imports.fixture.ts'

const rfid = (value: string) => ({ tag_type: 'rfid' as const, value })

/** The type and `about` of each queued event of the organization, which no reply of the API shows. */
async function takeAbouts({ database, orgId }: Catalog): Promise<[string, About | null][]> {
  const { rows } = await database.pool.query<{ id: number; subject: string; about: About | null }>(
    `delete from outbox where (payload ->> 'org_id')::bigint = $1 and subject like 'events.%'
     returning id, subject, payload -> 'about' as about`,
    [orgId],
  )
  const inOrder = rows.toSorted((a, b) => a.id - b.id)
  return inOrder.map(({ subject, about }) => [subject.split('.')[1] ?? '', about])
}

const ids = (...things: { id: number }[]) => things.map(({ id }) => id).toSorted((a, b) => a - b)

test('ADR 105 events of assets and of their tags say the type, also when the asset is gone', async ({
  catalog,
}) => {
  const { id } = await catalog.asset({ type: 'person' })
  const tag = (await catalog.post(`/assets/${id}/tags`, rfid('about a person'))).json().data
  await catalog.patch(`/assets/${id}`, { name: 'Renamed' })
  await catalog.delete(`/assets/${id}/tags/${tag.id}`)
  await catalog.delete(`/assets/${id}`)
  const about = { asset_type: 'person' }
  expect(await takeAbouts(catalog)).toEqual([
    ['asset-created', about],
    ['tag-attached', about],
    ['asset-updated', about],
    ['tag-detached', about],
    ['asset-deleted', about],
  ])
})

test('ADR 105 events of locations and of their tags say all that these are in, once the change is made', async ({
  catalog,
}) => {
  const site = await catalog.location()
  const other = await catalog.location()
  const hall = await catalog.location({ parent_id: site.id })
  const shelf = await catalog.location({ parent_id: hall.id })
  await catalog.post(`/locations/${shelf.id}/tags`, rfid('about a shelf'))
  await catalog.patch(`/locations/${hall.id}`, { parent_id: other.id })
  await catalog.patch(`/locations/${shelf.id}`, { name: 'Renamed' })
  await catalog.delete(`/locations/${shelf.id}`)
  const at = (place: { id: number }, ...above: { id: number }[]) => ({ at: [place.id], within: ids(place, ...above) }) // oxfmt-ignore
  expect(await takeAbouts(catalog)).toEqual([
    ['location-created', at(site)],
    ['location-created', at(other)],
    ['location-created', at(hall, site)],
    ['location-created', at(shelf, hall, site)],
    ['tag-attached', at(shelf, hall, site)],
    ['location-updated', at(hall, other)],
    ['location-updated', at(shelf, hall, other)],
    ['location-deleted', null],
  ])
})

test('ADR 105 rows of an import say it too, within one batch', async ({ catalog, imports }) => {
  const csv = ['external_key,name,parent_external_key,rfid', 'S,Site,,', 'H,Hall,S,', 'X,Shelf,H,about x']
  const { rows } = await imports.run('locations', csv.join('\n'))
  const [site, hall, shelf] = rows.map(({ id }) => id ?? 0) as [number, number, number]
  await imports.run('locations', 'external_key,rfid\nX,about y')
  await imports.run('assets', 'external_key,name,type\nP,Person,person')
  await imports.run('assets', 'external_key,rfid\nP,about p')
  const onShelf = { at: [shelf], within: [site, hall, shelf].toSorted((a, b) => a - b) }
  const said = (await takeAbouts(catalog)).filter(([type]) => type !== 'import-finished')
  expect(said.filter(([type]) => type === 'location-created')).toEqual([
    ['location-created', { at: [site], within: [site] }],
    ['location-created', { at: [hall], within: [site, hall].toSorted((a, b) => a - b) }],
    ['location-created', onShelf],
  ])
  expect(said.filter(([type]) => type !== 'location-created')).toEqual([
    ['tag-detached', onShelf],
    ['tag-attached', onShelf],
    ['asset-created', { asset_type: 'person' }],
    ['tag-attached', { asset_type: 'person' }],
  ])
})

test('ADR 105 a branch that hangs below a deleted location is in nothing above that', async ({ catalog }) => {
  const site = await catalog.location()
  const hall = await catalog.location({ parent_id: site.id })
  const shelf = await catalog.location({ parent_id: hall.id })
  await catalog.database.pool.query('update location set deleted_at = now() where id = $1', [hall.id])
  await takeAbouts(catalog)
  await catalog.patch(`/locations/${shelf.id}`, { name: 'Orphan' })
  expect(await takeAbouts(catalog)).toEqual([['location-updated', { at: [shelf.id], within: [shelf.id] }]])
})
