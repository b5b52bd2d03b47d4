import { expect } from 'vitest'
import { newAsset, newLocation, reportRows } from '../system/organization.ts'
import { expectAccessible } from './support/accessible.ts'
import { test, type Visitor } from './support/visitor.fixture.ts'

async function pick({ page }: Visitor, location: string) {
  await page.getByRole('combobox', { name: 'Location' }).click()
  await page.getByRole('option', { name: location }).click()
}

test('scans and pastes keys, saves them, and shows what moved', async ({ member, organization }) => {
  const { page } = member
  await newLocation(organization, 'Hall', 'HALL')
  await newLocation(organization, 'Dock', 'DOCK')
  const [one, two, three] = await Promise.all(
    ['One', 'Two', 'Three'].map((name) => newAsset(organization, name, [])),
  )
  const at = (keys: string[], location: string) =>
    organization.integrator.POST('/api/v1/inventory/save', {
      body: { asset_identifiers: keys, location_identifier: location },
    })
  await at([one!.external_key], 'HALL')
  await at([two!.external_key], 'DOCK')

  await member.open('/inventory')
  await page.getByText('No keys yet').waitFor()
  expect(await page.getByRole('button', { name: 'Save', exact: true }).isDisabled()).toBe(true)
  await pick(member, 'Dock')
  // A scanner keeps typing: the field must keep the focus.
  await page.getByLabel('Scan or type a key').focus()
  await page.keyboard.type(`${one!.external_key}\n${two!.external_key}\n${two!.external_key}\n`)
  await page.getByText('1 key already in the list.').waitFor()
  await page.getByLabel('Paste several keys').fill(`${three!.external_key}; ${one!.external_key}\n`)
  await page.getByRole('button', { name: 'Add 2 pasted' }).click()
  await page.getByText('1 key added. 1 key already in the list.').waitFor()
  await page.getByText('3 keys in the list').waitFor()
  await page.getByRole('button', { name: 'Save 3' }).click()

  await page.getByText('3 assets are at Dock').waitFor()
  await page.getByText('1 moved, 1 seen for the first time, 1 already there.').waitFor()
  const rows = await page.getByRole('region', { name: 'Saved assets' }).locator('tbody tr').allTextContents()
  expect(rows).toEqual([
    `${one!.external_key}HALLDock`,
    `${three!.external_key}UnknownDock`,
    `${two!.external_key}DOCKUnchanged`,
  ])
  expect((await reportRows(organization)).map((row) => row.location_external_key)).toEqual([
    'DOCK',
    'DOCK',
    'DOCK',
  ])
  await expectAccessible(page)
  await member.picture('inventory-saved')
  await page.getByRole('button', { name: 'Save another inventory' }).click()
  await page.getByText('No keys yet').waitFor()
})

test('marks unknown keys in the list and saves without them', async ({ member, organization }) => {
  const { page } = member
  await newLocation(organization, 'Dock', 'DOCK')
  const one = await newAsset(organization, 'One', [])
  await member.open('/inventory')
  await pick(member, 'Dock')
  await page.getByLabel('Paste several keys').fill(`NONE-1 ${one.external_key} Ä NONE-2`)
  await page.getByRole('button', { name: 'Add 4 pasted' }).click()
  await page.getByRole('button', { name: 'Save 4' }).click()
  const row = (key: string) =>
    page.getByRole('region', { name: 'Keys' }).locator('tr').filter({ hasText: key })
  await row('Ä').getByText('must contain only letters, digits and hyphens').waitFor()
  await page
    .getByRole('alert')
    .getByText(/^Request/)
    .waitFor()
  await page.getByRole('button', { name: 'Remove Ä' }).click()
  await page.getByRole('button', { name: 'Save 3' }).click()
  await row('NONE-1').getByText('No asset has this key').waitFor()
  await row('NONE-2').getByText('No asset has this key').waitFor()
  expect(await row(one.external_key).getByText('No asset').count()).toBe(0)
  await expectAccessible(page)
  await member.picture('inventory')
  await page.getByRole('button', { name: 'Remove NONE-1' }).click()
  await page.getByRole('button', { name: 'Remove 1 with a problem' }).click()
  await page.getByText('1 key in the list', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Save 1' }).click()
  await page.getByText('1 asset is at Dock').waitFor()
})

test('an offline save fails and can be repeated', async ({ member, organization }) => {
  const { page, context } = member
  await newLocation(organization, 'Dock', 'DOCK')
  const one = await newAsset(organization, 'One', [])
  await member.open('/inventory')
  await pick(member, 'Dock')
  await page.getByLabel('Scan or type a key').fill(one.external_key)
  await page.keyboard.press('Enter')
  await context.setOffline(true)
  await page.getByRole('button', { name: 'Save 1' }).click()
  await page.getByRole('alert').getByText('The server cannot be reached').waitFor()
  await context.setOffline(false)
  await page.getByRole('button', { name: 'Save 1' }).click()
  await page.getByText('1 asset is at Dock').waitFor()
})
