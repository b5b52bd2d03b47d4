import { expect } from 'vitest'
import { newAsset, newLocation, type Organization } from '../system/organization.ts'
import { expectAccessible } from './support/accessible.ts'
import { readAt } from './support/readings.ts'
import { test } from './support/visitor.fixture.ts'

const put = (org: Organization, assets: string[], location: string) =>
  org.integrator.POST('/api/v1/inventory/save', {
    body: { asset_identifiers: assets, location_identifier: location },
  })

/** A hall with a dock as sub-location, and an asset at each. */
async function scene(org: Organization) {
  const hall = await newLocation(org, 'Hall', 'HALL')
  const dock = await newLocation(org, 'Dock', 'DOCK')
  await org.integrator.PATCH('/api/v1/locations/{location_id}', {
    params: { path: { location_id: dock } },
    body: { parent_id: hall },
  })
  const one = await newAsset(org, 'One', [{ tag_type: 'rfid', value: 'E28011600001' }])
  const two = await newAsset(org, 'Two', [])
  await put(org, [one.external_key], 'HALL')
  await put(org, [two.external_key], 'DOCK')
  return { hall, dock, one, two }
}

test('shows the assets here and in sub-locations, updated live', async ({ member, organization }) => {
  const { page } = member
  const { hall, dock, one, two } = await scene(organization)
  await readAt(organization, { id: one.id, tag: 'E28011600001' }, [
    { location: 'DOCK', hoursAgo: 5 },
    { location: 'HALL', hoursAgo: 4 },
    { location: 'DOCK', hoursAgo: 2 },
  ])
  await put(organization, [one.external_key], 'HALL')
  await member.open(`/locations/${hall}`)
  const rows = page.getByRole('region', { name: 'Assets here' }).locator('tbody tr')
  await rows.nth(1).waitFor()
  await page.getByText('1–2 of 2 assets').waitFor()
  await page.getByLabel('Include sub-locations').click()
  await page.getByText('1–1 of 1 assets').waitFor()
  expect(await rows.first().textContent()).toContain(one.external_key)
  await put(organization, [two.external_key], 'HALL')
  await page.getByText('1–2 of 2 assets').waitFor()
  await page.getByRole('img', { name: /: 3 in, 1 out/ }).waitFor()
  await page.getByText('1 here, 1 in total').or(page.getByText('0 here, 0 in total')).waitFor()
  await page.getByText('Show as table').click()
  await expectAccessible(page)
  await page.getByText('Show as table').click()
  await member.picture('location')
  await page.setViewportSize({ width: 390, height: 844 })
  await member.picture('location-phone')
  await page.setViewportSize({ width: 1280, height: 900 })

  await page.getByRole('list', { name: 'Sub-locations of Hall' }).getByRole('link', { name: 'Dock' }).click()
  await page.waitForURL(`**/locations/${dock}`)
  await page.getByText('No assets at Dock or its sub-locations.').waitFor()
  await page.getByRole('navigation', { name: 'Breadcrumb' }).getByRole('link', { name: 'Hall' }).click()
  await page.waitForURL(`**/locations/${hall}`)
})

test('edits, renames and tags a location; errors are shown at their field', async ({
  member,
  organization,
}) => {
  const { page } = member
  const { hall, dock } = await scene(organization)
  await member.open(`/locations/${dock}`)
  await page.getByRole('button', { name: 'Edit' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name').fill('')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.getByText('Fill in this field.').waitFor()
  await expect.poll(() => dialog.getByLabel('Name').getAttribute('aria-invalid')).toBe('true')
  await dialog.getByLabel('Name').fill('Gate')
  await dialog.getByLabel('Description').fill('North side')
  await dialog.getByRole('button', { name: 'Clear Parent location' }).click()
  await dialog.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('heading', { level: 1, name: 'Gate' }).waitFor()
  await page.getByRole('cell', { name: 'North side' }).waitFor()
  expect(await page.getByRole('navigation', { name: 'Breadcrumb' }).getByRole('link').count()).toBe(1)

  await page.getByRole('button', { name: 'Rename key' }).click()
  await dialog.getByLabel('External key').fill('HALL')
  await dialog.getByRole('button', { name: 'Rename' }).click()
  await dialog.getByRole('alert').getByText(/HALL/).waitFor()
  await dialog.getByLabel('External key').fill('GATE')
  await dialog.getByRole('button', { name: 'Rename' }).click()
  await page.getByRole('row', { name: 'External key GATE' }).waitFor()

  await page.getByRole('button', { name: 'Attach tag' }).click()
  await dialog.getByLabel('Value').fill('E2801160')
  await dialog.getByRole('button', { name: 'Attach' }).click()
  await page.getByRole('button', { name: 'Detach E2801160' }).click()
  await dialog.getByRole('button', { name: 'Detach' }).click()
  await page.getByText('No tags yet.').waitFor()

  const { data } = await organization.integrator.GET('/api/v1/locations/{location_id}', {
    params: { path: { location_id: dock } },
  })
  expect(data?.data).toMatchObject({
    name: 'Gate',
    external_key: 'GATE',
    description: 'North side',
    parent_id: null,
    tags: [],
  })
  expect(hall).not.toBe(dock)
})

test('deletes a location unless it has sub-locations', async ({ member, organization }) => {
  const { page } = member
  const { hall, dock } = await scene(organization)
  await member.open(`/locations/${hall}`)
  await page.getByRole('button', { name: 'Delete Hall' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await dialog
    .getByRole('alert')
    .getByText(/^Request/)
    .waitFor()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await member.open(`/locations/${dock}`)
  await page.getByRole('button', { name: 'Delete Dock' }).click()
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await page.waitForURL(/\/locations$/)
  await page.getByRole('link', { name: 'Hall' }).waitFor()
  await member.open(`/locations/${dock}`)
  await page.getByRole('alert').getByText('Location not found').waitFor()
})

test('keeps loaded data offline', async ({ member, organization }) => {
  const { page, context } = member
  const { hall, one } = await scene(organization)
  await member.open(`/locations/${hall}`)
  await page.getByRole('link', { name: one.external_key }).waitFor()
  await context.setOffline(true)
  await page.getByText('You are offline').waitFor()
  expect(await page.getByRole('link', { name: one.external_key }).isVisible()).toBe(true)
})
