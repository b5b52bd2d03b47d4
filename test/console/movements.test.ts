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
  const rows = page.getByRole('region', { name: 'Movements' }).locator('tbody tr')
  await rows.filter({ hasText: 'Forklift 7' }).filter({ hasText: 'First seen' }).waitFor()
  await expectAccessible(page)
  await isLive(page)
  await save(organization, [pallet], 'YARD')
  await rows.filter({ hasText: 'Pallet 31' }).filter({ hasText: 'Yard' }).waitFor()
  expect(await rows.count()).toBe(2)

  await page.getByRole('combobox', { name: 'From or to location' }).fill('hall')
  await page.getByRole('option', { name: 'Hall (HALL)' }).click()
  await page.waitForURL(`**/movements?location=${hall}`)
  await expect.poll(() => rows.count()).toBe(1)
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Export the rows shown' }).click()
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
