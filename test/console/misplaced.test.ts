import { unwrap } from '@whereabouts/client/client'
import { expect } from 'vitest'
import { newAsset, newLocation, type Organization } from '../system/organization.ts'
import { expectAccessible } from './support/accessible.ts'
import { readAt } from './support/readings.ts'
import { test } from './support/visitor.fixture.ts'

const save = async ({ integrator }: Organization, key: string, location_identifier: string) =>
  unwrap(
    await integrator.POST('/api/v1/inventory/save', {
      body: { asset_identifiers: [key], location_identifier },
    }),
  )

test('D21.1 what is not at its home shows on the overview and on the floor, three times without a reload', async ({
  member,
  organization,
}) => {
  const { page } = member
  const hall = await newLocation(organization, 'Hall', 'HALL')
  const yard = await newLocation(organization, 'Yard', 'YARD')
  const { id, external_key: key } = await newAsset(organization, 'Pump', [])
  const params = { path: { asset_id: id } }
  await save(organization, key, 'HALL')
  await member.open('/')
  const attention = page.getByRole('region', { name: 'Needs attention' })
  const noHomes = attention.getByText('No asset with a location has a home yet, so none is misplaced.')
  await noHomes.waitFor()
  await expectAccessible(page)
  await attention.getByRole('link', { name: 'Say where assets belong' }).click()
  await page.getByRole('heading', { name: 'Where assets belong' }).waitFor()
  unwrap(
    await organization.integrator.PATCH('/api/v1/assets/{asset_id}', {
      params,
      body: { home_location_id: hall },
    }),
  )
  await member.open('/')
  await page.getByRole('region', { name: 'Just moved' }).getByText('Pump came to Hall').waitFor()
  const count = attention.getByRole('link', { name: '1 misplaced asset' })
  const mark = page.getByRole('list', { name: 'Misplaced assets' }).getByRole('link')
  await expect
    .poll(async () => [await count.count(), await mark.count(), await noHomes.count()])
    .toEqual([0, 0, 0])
  for (let round = 0; round < 3; round += 1) {
    await save(organization, key, 'YARD')
    await count.waitFor()
    await attention.getByText('Pump is at Yard, not at Hall').waitFor()
    await expect.poll(() => mark.getAttribute('aria-label')).toBe('Yard: 1 misplaced asset')
    if (round === 0) await expectAccessible(page)
    await save(organization, key, 'HALL')
    await count.waitFor({ state: 'detached' })
    await mark.waitFor({ state: 'detached' })
  }
  await save(organization, key, 'YARD')
  await mark.click()
  await page.waitForURL(`**/assets?location=${yard}&misplaced=true`)
  await page
    .getByRole('region', { name: 'Assets', exact: true })
    .getByRole('link', { name: 'Pump' })
    .waitFor()
  await page.getByText('1 asset', { exact: true }).waitFor()
})

test('D21.3 how long things stay at a location is what the report of visits says, and follows', async ({
  member,
  organization,
}) => {
  const { page } = member
  const hall = await newLocation(organization, 'Hall', 'HALL')
  await newLocation(organization, 'Yard', 'YARD')
  const empty = await newLocation(organization, 'Empty', 'EMPTY')
  const bay = { name: 'Bay', external_key: 'BAY', parent_id: hall }
  unwrap(await organization.integrator.POST('/api/v1/locations', { body: bay }))
  const { id } = await newAsset(organization, 'Pump', [{ tag_type: 'rfid', value: 'E28011' }])
  await readAt(organization, { id, tag: 'E28011' }, [
    { location: 'HALL', hoursAgo: 210 },
    { location: 'YARD', hoursAgo: 208 },
    { location: 'HALL', hoursAgo: 10 },
    { location: 'YARD', hoursAgo: 7 },
  ])
  await member.open(`/locations/${hall}`)
  const card = page.getByRole('region', { name: 'How long things stay here' })
  await card.getByText('1 visit of 1 asset in the last 7 days, 1 visit in the 7 days before.').waitFor()
  await card.getByText('Half of them are over after: 3 h, 1 h longer than the week before.').waitFor()
  const query = { group_by: 'location' as const, location_id: [hall], include_descendants: true }
  const { data } = unwrap(await organization.admin.GET('/api/v1/reports/visits', { params: { query } }))
  expect(data).toMatchObject([{ visits: 1, seconds_median: 10_800, seconds_p95: 10_800 }])
  await card.getByText('Still inside: 0 assets.').waitFor()
  await expectAccessible(page)
  const { external_key: other } = await newAsset(organization, 'Crate', [])
  await save(organization, other, 'BAY')
  await card
    .getByText('2 visits of 2 assets in the last 7 days, 1 visit in the 7 days before.')
    .waitFor({ timeout: 60_000 }) // visits are read at most twice a minute
  await card.getByText('Still inside: 1 asset.').waitFor()
  const open = { location_id: [hall], include_descendants: true, open: true }
  const visits = unwrap(await organization.admin.GET('/api/v1/visits', { params: { query: open } }))
  expect(visits.data.map(({ asset }) => asset.external_key)).toEqual([other])
  await page.getByLabel('Include sub-locations').click()
  await card.getByText('1 visit of 1 asset in the last 7 days, 1 visit in the 7 days before.').waitFor()
  await card.getByText('Still inside: 0 assets.').waitFor()
  await member.open(`/locations/${empty}`)
  await card.getByText('No visits in the last two weeks.').waitFor()
})
