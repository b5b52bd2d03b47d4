import { expect } from 'vitest'
import { newAsset, newLocation, type Organization } from '../system/organization.ts'
import { expectAccessible } from './support/accessible.ts'
import { test } from './support/visitor.fixture.ts'

const put = (org: Organization, assets: string[], location: string) =>
  org.integrator.POST('/api/v1/inventory/save', {
    body: { asset_identifiers: assets, location_identifier: location },
  })

const parentOf = async (org: Organization, id: number) => {
  const params = { path: { location_id: id } }
  const { data } = await org.integrator.GET('/api/v1/locations/{location_id}', { params })
  return data?.data.parent_external_key
}

async function inside(org: Organization, name: string, key: string, parent: string): Promise<number> {
  const body = { name, external_key: key, parent_external_key: parent }
  const { data } = await org.integrator.POST('/api/v1/locations', { body })
  return data!.data.id
}

test('a new location is created from the empty list; a taken key is shown at its field', async ({
  member,
}) => {
  const { page } = member
  await member.open('/locations')
  const empty = page.getByText('No locations yet')
  await empty.waitFor()
  await expect.poll(() => empty.locator('xpath=ancestor::*[@data-with-border]').count()).toBe(1)
  const dialog = page.getByRole('dialog')
  const create = async (name: string, key: string) => {
    await page.getByRole('button', { name: 'New location' }).click()
    await dialog.getByLabel('Name').fill(name)
    await dialog.getByLabel('External key').fill(key)
    await dialog.getByRole('button', { name: 'Create' }).click()
  }
  // Typed text is not dropped in silence.
  await page.getByRole('button', { name: 'New location' }).click()
  await dialog.getByLabel('Name').fill('Half typed')
  await page.keyboard.press('Escape')
  await page.getByRole('dialog', { name: 'Discard what you entered?' }).waitFor()
  await page.getByRole('button', { name: 'Keep editing' }).click()
  await expect.poll(() => dialog.getByLabel('Name').inputValue()).toBe('Half typed')
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('button', { name: 'Discard' }).click()
  await create('Hall', 'HALL')
  await page.getByRole('link', { name: 'Hall' }).waitFor()
  await create('Other hall', 'HALL')
  await dialog.getByRole('alert').getByText(/HALL/).waitFor()
  await dialog.getByText(/^Request/).waitFor()
  await dialog.getByLabel('External key').fill('no key')
  await dialog.getByRole('button', { name: 'Create' }).click()
  await dialog.getByText('Use only letters, digits and hyphens').waitFor()
  await dialog.getByLabel('External key').fill('')
  await dialog.getByRole('combobox', { name: 'Parent location' }).click()
  await page.getByRole('option', { name: 'Hall (HALL)' }).click()
  await dialog.getByRole('button', { name: 'Create' }).click()
  await page.getByRole('button', { name: 'Sub-locations of Hall' }).click()
  await page
    .getByRole('list', { name: 'Sub-locations of Hall' })
    .getByRole('link', { name: 'Other hall' })
    .waitFor()
})

test('expands level by level with live counts, also by arrow keys', async ({ member, organization }) => {
  const { page } = member
  await newLocation(organization, 'Hall', 'HALL')
  await inside(organization, 'Aisle', 'AISLE', 'HALL')
  await inside(organization, 'Shelf', 'SHELF', 'AISLE')
  await newLocation(organization, 'Yard', 'YARD')
  const one = await newAsset(organization, 'One', [])
  await put(organization, [one.external_key], 'SHELF')
  await member.open('/locations')
  const row = (name: string) =>
    page.locator('.tree-row').filter({ has: page.getByRole('link', { name, exact: true }) })
  await row('Hall').getByText('0 here, 1 in total').waitFor()
  expect(await row('Aisle').count()).toBe(0)
  await page.getByRole('link', { name: 'Hall' }).focus()
  await page.keyboard.press('ArrowRight')
  await row('Aisle').waitFor()
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('ArrowRight')
  await row('Shelf').getByText('1 here, 1 in total').waitFor()
  const numbers = await page.locator('.tree-row .number:first-child').all()
  const edges = await Promise.all(numbers.map((number) => number.boundingBox()))
  expect(new Set(edges.map((box) => box && box.x + box.width)).size).toBe(1)
  await put(organization, [one.external_key], 'YARD')
  await row('Yard').getByText('1 here, 1 in total').waitFor()
  await row('Hall').getByText('0 here, 0 in total').waitFor()
  await row('Shelf').getByText('0 here, 0 in total').waitFor()
  await expectAccessible(page)
  await page.keyboard.press('ArrowLeft')
  await expect.poll(() => row('Shelf').count()).toBe(0)
  await page.keyboard.press('ArrowLeft')
  await page.keyboard.press('ArrowDown')
  await expect.poll(() => page.locator(':focus').textContent()).toBe('Aisle')
})

test('moves a location by mouse and by keyboard, and confirms origin and target', async ({
  member,
  organization,
}) => {
  const { page } = member
  const hall = await newLocation(organization, 'Hall', 'HALL')
  const yard = await newLocation(organization, 'Yard', 'YARD')
  await inside(organization, 'Aisle', 'AISLE', 'HALL')
  await member.open('/locations')
  const dialog = page.getByRole('dialog')
  await page.getByRole('link', { name: 'Yard' }).waitFor()
  const row = (name: string) => page.locator('.tree-row').filter({ hasText: name })
  await row('Yard').dragTo(row('Hall'))
  await dialog.getByText('From the top level to Hall (HALL), with all sub-locations.').waitFor()
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Move', exact: true }).click()
  await expect.poll(() => row('Yard').count()).toBe(0)
  expect(await parentOf(organization, yard)).toBe('HALL')

  await page.getByRole('button', { name: 'Sub-locations of Hall' }).click()
  await page.getByRole('button', { name: 'Move Yard' }).focus()
  await page.keyboard.press('Enter')
  await dialog.getByText('From HALL to the top').waitFor()
  await dialog.getByRole('combobox', { name: 'Move to' }).fill('AIS')
  await page.getByRole('option', { name: 'Aisle' }).waitFor()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await dialog.getByText('From HALL to Aisle (AISLE)').waitFor()
  await page.keyboard.press('Enter')
  await expect.poll(() => parentOf(organization, yard)).toBe('AISLE')
  await expect.poll(() => dialog.count()).toBe(0)

  await page.getByRole('button', { name: 'Move Hall' }).click()
  await dialog.getByRole('combobox', { name: 'Move to' }).fill('Yard')
  await page.getByRole('option', { name: 'Yard' }).click()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Keep editing' }).click()
  await dialog.getByRole('button', { name: 'Move', exact: true }).click()
  await dialog
    .getByRole('alert')
    .getByText(/cannot be moved into itself/)
    .waitFor()
  expect(await parentOf(organization, hall)).toBeNull()
})

test('finds locations with their path, shows a failure, and keeps loaded data offline', async ({
  member,
  organization,
}) => {
  const { page, context } = member
  await newLocation(organization, 'Hall', 'HALL')
  await inside(organization, 'Aisle', 'AISLE', 'HALL')
  await inside(organization, 'Shelf', 'SHELF', 'AISLE')
  const failure = {
    error: {
      type: 'internal_error',
      title: 'Internal error',
      status: 500,
      detail: 'Something went wrong',
      instance: '/api/v1/locations/branch',
      request_id: 'REQUEST-1',
    },
  }
  await page.route('**/api/v1/locations/branch*', (route) => route.fulfill({ status: 500, json: failure }))
  await member.open('/locations')
  await page.getByRole('alert').getByText('REQUEST-1').waitFor()
  await page.unroute('**/api/v1/locations/branch*')
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByRole('link', { name: 'Hall' }).waitFor()

  await page.getByRole('searchbox', { name: 'Search' }).fill('shel')
  const found = page.getByRole('region', { name: 'Found locations' }).locator('tbody tr')
  await found.filter({ hasText: 'Hall › Aisle' }).waitFor()
  await page.waitForURL('**/locations?q=shel')
  await page.getByRole('searchbox', { name: 'Search' }).fill('crane')
  await page.getByText('No location found').waitFor()
  await page.getByRole('navigation').getByRole('link', { name: 'Locations' }).click()
  await page.getByRole('link', { name: 'Hall' }).waitFor()
  await expect.poll(() => page.getByRole('searchbox', { name: 'Search' }).inputValue()).toBe('')
  await context.setOffline(true)
  await page.getByText('You are offline').waitFor()
  await page.getByRole('button', { name: 'Sub-locations of Hall' }).click()
  await page.getByText('We will load locations when you are back online.').waitFor()
  await context.setOffline(false)
  await page.getByRole('link', { name: 'Aisle' }).waitFor()
})
