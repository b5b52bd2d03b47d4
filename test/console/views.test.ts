import { expect } from 'vitest'
import { newAsset } from '../system/organization.ts'
import { expectAccessible } from './support/accessible.ts'
import { test } from './support/visitor.fixture.ts'

test('a filter is saved under a name, opened from its menu in another tab, replaced and removed', async ({
  member,
  organization,
}) => {
  const { page } = member
  await newAsset(organization, 'Pump', [])
  await newAsset(organization, 'Drill', [])
  const openMenu = async () => page.getByRole('button', { name: 'Views' }).click()
  const dialog = page.getByRole('dialog')
  await member.open('/assets?q=Pump&sort=-name')
  await page.getByRole('link', { name: 'Pump', exact: true }).waitFor()
  await openMenu()
  await page.getByText('Save a filter that you use often.').waitFor()
  await expectAccessible(page)
  await page.getByRole('menuitem', { name: 'Save or remove views…' }).click()
  await dialog.getByRole('button', { name: 'Save view' }).click()
  await dialog.getByText('Enter a name for the view.').waitFor()
  await dialog.getByLabel('Name').fill('Pumps')
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Save view' }).click()
  await dialog.waitFor({ state: 'detached' })

  const other = await member.context.newPage()
  await other.goto('/assets')
  await other.getByRole('link', { name: 'Drill', exact: true }).waitFor()
  await other.getByRole('button', { name: 'Views' }).click()
  await other.getByRole('menuitem', { name: 'Pumps' }).click()
  await other.getByRole('link', { name: 'Drill', exact: true }).waitFor({ state: 'detached' })
  expect(Object.fromEntries(new URL(other.url()).searchParams)).toEqual({ q: 'Pump', sort: '-name' })

  for (const q of ['Dri', 'Dril', 'Drill']) {
    await member.open(`/assets?q=${q}`)
    await openMenu()
    await page.getByRole('menuitem', { name: 'Save or remove views…' }).click()
    await dialog.getByLabel('Name').fill('Pumps')
    await dialog.getByRole('button', { name: 'Replace view' }).click()
    await dialog.waitFor({ state: 'detached' })
  }
  await member.open('/assets')
  await openMenu()
  await page.getByRole('menuitem', { name: 'Pumps' }).click()
  await page.getByRole('link', { name: 'Pump', exact: true }).waitFor({ state: 'detached' })
  expect(new URL(page.url()).searchParams.get('q')).toBe('Drill')

  await openMenu()
  await page.getByRole('menuitem', { name: 'Save or remove views…' }).click()
  await dialog.getByRole('button', { name: 'Remove the view Pumps' }).click()
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  await openMenu()
  await page.getByText('Save a filter that you use often.').waitFor()
})
