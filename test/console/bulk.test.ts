import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { unwrap } from '@whereabouts/client/client'
import { newAsset, newLocation, type Organization } from '../system/organization.ts'
import { expectAccessible } from './support/accessible.ts'
import { test } from './support/visitor.fixture.ts'

const liveAssets = async ({ admin }: Organization) =>
  unwrap(await admin.GET('/api/v1/assets', { params: { query: { limit: 200 } } })).data

const placesOf = async ({ admin }: Organization) => {
  const query = { limit: 200, expand: 'location' }
  const rows = unwrap(await admin.GET('/api/v1/reports/asset-locations', { params: { query } })).data
  return Object.fromEntries(rows.map(({ asset_id, location }) => [asset_id, location?.name]))
}

const newAssets = async ({ admin }: Organization, count: number) => {
  const items = Array.from({ length: count }, (_, i) => ({
    external_key: `PALLET-${String(i).padStart(3, '0')}`,
    name: `Pallet ${String(i).padStart(3, '0')}`,
    metadata: { row: `R${i % 3}` },
  }))
  const results = unwrap(await admin.POST('/api/v1/assets/batch', { body: { items } })).data
  return results.map(({ id }) => id ?? Number.NaN)
}

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()

test('assets chosen on two pages are edited together, and undo brings back what each had', async ({
  member,
  organization,
}) => {
  const { page } = member
  await newAssets(organization, 60)
  await member.open('/assets')
  await page.getByText('Select assets to change several at once.').waitFor()
  await press(page, 'Select this page')
  await page.getByText('50 assets selected').waitFor()
  await press(page, 'Page 2 of assets')
  await page.getByRole('checkbox', { name: 'Select Pallet 055' }).check()
  await page.getByText('51 assets selected').waitFor()
  await expectAccessible(page)
  await press(page, 'Edit…')
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Active').selectOption('Inactive')
  await dialog.getByLabel('Metadata: value').fill('7')
  await dialog.getByRole('button', { name: 'Save 51 assets' }).click()
  await dialog.getByText('Enter the name of the value.').waitFor()
  await dialog.getByLabel('Metadata: name').fill('hall')
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Save 51 assets' }).click()
  await page.getByText('Changed 51 assets.', { exact: true }).waitFor()
  const changed = (await liveAssets(organization)).filter(({ is_active: active }) => !active)
  expect(changed).toHaveLength(51)
  expect(changed.every(({ metadata }) => metadata?.['hall'] === '7' && metadata['row'] !== undefined)).toBe(
    true,
  )
  await page.getByText('Select assets to change several at once.').waitFor()

  await press(page, 'Undo')
  await page.getByText('Changed back 51 assets.').waitFor()
  const after = await liveAssets(organization)
  expect(after.every(({ is_active: active, metadata }) => active && metadata?.['hall'] === undefined)).toBe(
    true,
  )
})

test('chosen assets are moved, exported and deleted, and undo takes back the last of these', async ({
  member,
  organization,
}) => {
  const { page } = member
  const ids = await newAssets(organization, 4)
  const dock = await newLocation(organization, 'Dock', 'DOCK-1')
  await newLocation(organization, 'Hall', 'HALL-1')
  const save = { asset_identifiers: ['PALLET-000', 'PALLET-001'], location_identifier: 'DOCK-1' }
  unwrap(await organization.admin.POST('/api/v1/inventory/save', { body: save }))
  const [first, second, third] = ids
  await member.open('/assets')
  for (const name of ['Pallet 000', 'Pallet 001', 'Pallet 002'])
    await page.getByRole('checkbox', { name: `Select ${name}` }).check()

  const downloading = page.waitForEvent('download')
  await press(page, 'Export')
  const lines = (await readFile(await (await downloading).path(), 'utf8')).trim().split('\n')
  expect(lines).toHaveLength(4)

  await press(page, 'Move…')
  const dialog = page.getByRole('dialog')
  const to = dialog.getByLabel('Where they are now')
  await to.fill('Hall')
  await page.getByRole('option', { name: /Hall/ }).click()
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Move 3 assets' }).click()
  await page.getByText('Moved 3 assets to Hall. 1 asset had no location before and cannot go back.').waitFor()
  await expect
    .poll(() => placesOf(organization))
    .toEqual({ [first!]: 'Hall', [second!]: 'Hall', [third!]: 'Hall' })
  await press(page, 'Undo')
  await page.getByText('Moved back 2 assets.').waitFor()
  await expect
    .poll(() => placesOf(organization))
    .toEqual({ [first!]: 'Dock', [second!]: 'Dock', [third!]: 'Hall' })
  expect(dock).toBeGreaterThan(0)

  for (const name of ['Pallet 000', 'Pallet 003'])
    await page.getByRole('checkbox', { name: `Select ${name}` }).check()
  await press(page, 'Delete…')
  await expectAccessible(page)
  await page.getByRole('dialog').getByRole('button', { name: 'Delete 2 assets' }).click()
  await page.getByText('Deleted 2 assets.', { exact: true }).waitFor()
  expect(new Set((await liveAssets(organization)).map(({ id }) => id))).toEqual(new Set([second, third]))
  await press(page, 'Undo')
  await page.getByText('Restored 2 assets.').waitFor()
  expect(await liveAssets(organization)).toHaveLength(4)
})

test('another filter clears the selection, and what somebody else deleted is named', async ({
  member,
  organization,
}) => {
  const { page } = member
  const pump = await newAsset(organization, 'Pump', [])
  await newAsset(organization, 'Drill', [])
  await member.open('/assets')
  await press(page, 'Select this page')
  await page.getByText('2 assets selected').waitFor()
  await page.getByLabel('Type').selectOption('Person')
  await page.getByText('No matching assets').waitFor()
  await page.getByLabel('Type').selectOption('All types')
  await page.getByText('Select assets to change several at once.').waitFor()

  await press(page, 'Select this page')
  await page.getByText('2 assets selected').waitFor()
  unwrap(
    await organization.admin.DELETE('/api/v1/assets/{asset_id}', { params: { path: { asset_id: pump.id } } }),
  )
  await press(page, 'Edit…')
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Active').selectOption('Inactive')
  await dialog.getByRole('button', { name: 'Save 2 assets' }).click()
  await page.getByText(/^Changed 1 asset\. 1 failed: Pump \(/).waitFor()
})
