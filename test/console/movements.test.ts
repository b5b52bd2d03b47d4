import { readFile } from 'node:fs/promises'
import { unwrap } from '@whereabouts/client/client'
import { expect } from 'vitest'
import { newAsset, newLocation, type Organization } from '../system/organization.ts'
import { expectAccessible } from './support/accessible.ts'
import { isLive } from './support/tabs.ts'
import { test } from './support/visitor.fixture.ts'

const save = async (org: Organization, assets: string[], location: string) => {
  const body = { asset_identifiers: assets, location_identifier: location }
  const { response } = await org.integrator.POST('/api/v1/inventory/save', { body })
  expect(response.status).toBe(201)
}

test('what moved lately is listed, follows live, and is narrowed to a location; the address keeps the filter', async ({
  member,
  organization,
}) => {
  const { page } = member
  const hall = await newLocation(organization, 'Hall', 'HALL')
  await newLocation(organization, 'Yard', 'YARD')
  const { external_key: forklift } = await newAsset(organization, 'Forklift 7', [])
  const { external_key: pallet } = await newAsset(organization, 'Pallet 31', [])
  await save(organization, [forklift], 'HALL')
  await member.open('/movements')
  const rows = page.getByRole('region', { name: 'Movements', exact: true }).locator('tbody tr')
  await rows.filter({ hasText: 'Forklift 7' }).filter({ hasText: 'First seen' }).waitFor()
  await expectAccessible(page)
  await isLive(page)
  await save(organization, [pallet], 'YARD')
  await rows.filter({ hasText: 'Pallet 31' }).filter({ hasText: 'Yard' }).waitFor()
  await expect.poll(() => rows.count()).toBe(2)

  await page.getByRole('combobox', { name: 'From or to location' }).fill('hall')
  await page.getByRole('option', { name: 'Hall (HALL)' }).click()
  await page.waitForURL(`**/movements?location=${hall}`)
  await expect.poll(() => rows.count()).toBe(1)
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Export CSV' }).click()
  expect((await download).suggestedFilename()).toBe('movements.csv')
  await page.reload()
  await page.getByRole('combobox', { name: 'From or to location' }).waitFor()
  await expect.poll(() => rows.count()).toBe(1)
  await page.getByText('10 min').click()
  await page.getByRole('combobox', { name: 'Asset' }).fill('pallet')
  await page.getByRole('option', { name: /^Pallet 31/ }).click()
  await page.getByText('No movements', { exact: true }).waitFor()
  await expectAccessible(page)
})

test('a part of the chart becomes the time of the list, by pointer and keyboard; types narrow both', async ({
  member,
  organization,
}) => {
  const { page } = member
  await newLocation(organization, 'Hall', 'HALL')
  const { external_key: forklift } = await newAsset(organization, 'Forklift 7', [])
  const worker = { name: 'Worker 3', external_key: 'WORKER-3', type: 'person' } as const
  unwrap(await organization.integrator.POST('/api/v1/assets', { body: worker }))
  await save(organization, [forklift, 'WORKER-3'], 'HALL')
  await member.open('/movements')
  const rows = page.getByRole('region', { name: 'Movements', exact: true }).locator('tbody tr')
  const chart = page.getByRole('region', { name: 'Movements over time' })
  const counted = (text: RegExp) => chart.getByRole('status').filter({ hasText: text }).waitFor()
  await counted(/: 2 movements$/)

  await page.getByRole('checkbox', { name: 'People' }).check()
  await page.waitForURL('**/movements?type=person')
  await rows.filter({ hasText: 'Worker 3' }).waitFor()
  await expect.poll(() => rows.count()).toBe(1)
  await counted(/: 1 movement$/)

  // The first half of the hour has nothing.
  const box = (await chart.locator('.brush').boundingBox()) ?? { x: 0, y: 0, width: 0 }
  await page.mouse.move(box.x + 2, box.y + 5)
  await page.mouse.down()
  await page.mouse.move(box.x + box.width / 2, box.y + 5)
  await page.mouse.up()
  await page.waitForURL(/span=own&from=.*&to=.*&whole=60/)
  await page.getByText('No movements', { exact: true }).waitFor()
  await page.mouse.move(0, 0)
  await counted(/: 0 movements$/)
  await expectAccessible(page)
  await chart.getByRole('slider', { name: 'End of the part' }).press('End')
  await rows.filter({ hasText: 'Worker 3' }).waitFor()
  await chart.getByRole('slider', { name: 'Start of the part' }).press('ArrowRight')
  await page.reload()
  await counted(/: 1 movement$/)
  await chart.getByRole('button', { name: 'Whole range' }).click()
  await page.waitForURL('**/movements?type=person')
  await chart.getByText('Show as table').click()
  await expect.poll(() => chart.locator('tbody tr').count()).toBeGreaterThan(59)
})

test('an export tells its progress, can be cancelled, and has ids and keys', async ({
  member,
  organization,
}) => {
  const { page } = member
  for (const place of ['HALL', 'YARD']) await newLocation(organization, place, place)
  const { external_key: forklift, id } = await newAsset(organization, 'Forklift 7', [])
  await save(organization, [forklift], 'HALL')
  const held = Promise.withResolvers<void>()
  await member.open('/movements')
  await page.getByRole('cell', { name: 'Forklift 7' }).first().waitFor()
  await page.route('**/api/v1/movements?*limit=500*', async (route) => {
    await held.promise
    await route.continue().catch(() => undefined)
  })
  const start = page.getByRole('button', { name: 'Export CSV' })
  await start.click()
  await page.getByRole('status').filter({ hasText: 'Exporting: 0 rows' }).waitFor()
  await page.getByRole('button', { name: 'Cancel export' }).click()
  await expect.poll(() => start.isEnabled()).toBe(true)
  held.resolve()
  await page.unroute('**/api/v1/movements?*limit=500*')
  const download = page.waitForEvent('download')
  await start.click()
  const text = await readFile(await (await download).path(), 'utf8')
  expect(text).toContain(`"${id}","${forklift}","Forklift 7","","",""`)
})
