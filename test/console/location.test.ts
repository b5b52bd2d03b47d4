import { unwrap } from '@whereabouts/client/client'
import { expect } from 'vitest'
import { newAsset, newLocation, newReader, type Organization } from '../system/organization.ts'
import { expectAccessible } from './support/accessible.ts'
import { press } from './support/keyboard.ts'
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
  await rows.filter({ hasText: 'Two' }).getByRole('link', { name: 'Dock', exact: true }).waitFor()
  await page.getByLabel('Include sub-locations').click()
  // Names first, keys second, for assets and locations.
  await rows.first().getByRole('link', { name: 'One', exact: true }).waitFor()
  await page.getByRole('status').getByText('1 asset', { exact: true }).waitFor()
  await expect.poll(() => rows.first().textContent()).toContain(one.external_key)
  await put(organization, [two.external_key], 'HALL')
  await page.getByText('1–2 of 2 assets').waitFor()
  // Sub-locations count. A save replaces the one of the same minute, so that there may be a movement less.
  await page.getByRole('img', { name: /: 2 in, 0 out, [34] inside/ }).waitFor()
  await page.getByText('1 here, 1 in total').or(page.getByText('0 here, 0 in total')).waitFor()
  await page.getByText('Show as table').click()
  await expectAccessible(page)
  await page.getByText('Show as table').click()

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
  await expect
    .poll(() => page.getByRole('navigation', { name: 'Breadcrumb' }).getByRole('link').count())
    .toBe(1)

  await page.getByRole('button', { name: 'Change key' }).click()
  await dialog.getByLabel('External key').fill('HALL')
  await dialog.getByRole('button', { name: 'Change' }).click()
  await dialog.getByRole('alert').getByText(/HALL/).waitFor()
  await dialog.getByLabel('External key').fill('GATE')
  await dialog.getByRole('button', { name: 'Change' }).click()
  await page.getByRole('row', { name: 'External key GATE' }).waitFor()

  await page.getByRole('button', { name: 'Attach tag' }).click()
  await dialog.getByLabel('Value').fill('E2801160')
  await dialog.getByRole('button', { name: 'Attach' }).click()
  await page.getByRole('button', { name: 'Detach E2801160' }).click()
  await dialog.getByRole('button', { name: 'Detach' }).click()
  await page.getByText('No tags yet.').waitFor()
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByText('E2801160 attached again.').waitFor()
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

test('a location with sub-locations says why it cannot be deleted; another one is, and back with Undo', async ({
  member,
  organization,
}) => {
  const { page } = member
  const { hall, dock } = await scene(organization)
  await member.open(`/locations/${hall}`)
  await page.getByText('Cannot be deleted: it has 1 sub-location. Move or delete it first.').waitFor()
  await expect.poll(() => page.getByRole('button', { name: 'Delete Hall' }).isDisabled()).toBe(true)
  await expectAccessible(page)
  await page.getByRole('link', { name: '1 sub-location' }).click()
  await page.waitForURL(/#sub-locations$/)

  await member.open(`/locations/${dock}`)
  await page.getByRole('button', { name: 'Delete Dock' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('You can restore the location at any time.').waitFor()
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await page.waitForURL(/\/locations$/)
  await page.getByText('Deleted Dock.').waitFor()
  await expectAccessible(page)
  await press(page, page.getByRole('button', { name: 'Undo' }))
  await page.getByText('Dock restored.').waitFor()
  await page.getByRole('button', { name: 'Sub-locations of Hall' }).click()
  await page
    .getByRole('list', { name: 'Sub-locations of Hall' })
    .getByRole('link', { name: 'Dock' })
    .waitFor()
})

test('D18.5 the antennas that report at a location are named before it is deleted, and on their reader after it', async ({
  member,
  organization,
}) => {
  const { page } = member
  const gate = await newLocation(organization, 'Gate', 'GATE')
  const id = await newReader(organization, {
    key: 'gate-1',
    format: 'canonical',
    locationId: gate,
    antennas: 2,
  })
  await member.open(`/locations/${gate}`)
  await page.getByRole('button', { name: 'Delete Gate' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('2 antennas report here: gate-1, antenna 1; gate-1, antenna 2.').waitFor()
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await page.getByText('Deleted Gate.').waitFor()
  await member.open(`/readers/${id}`)
  await page.getByRole('link', { name: 'Deleted location: reads move nothing' }).first().waitFor()
})

test('a sub-location that appears before the delete is named in words', async ({ member, organization }) => {
  const { page } = member
  const yard = await newLocation(organization, 'Yard', 'YARD')
  await member.open(`/locations/${yard}`)
  await page.getByRole('button', { name: 'Delete Yard' }).click()
  const body = { name: 'Row', parent_id: yard }
  unwrap(await organization.integrator.POST('/api/v1/locations', { body }))
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await dialog.getByRole('alert').getByText('Yard has sub-locations now').waitFor()
})

test('a deleted location is found and restored, at another place if its parent is deleted', async ({
  member,
  organization,
}) => {
  const { page } = member
  const { hall, dock } = await scene(organization)
  for (const location_id of [dock, hall])
    await organization.integrator.DELETE('/api/v1/locations/{location_id}', {
      params: { path: { location_id } },
    })
  await member.open('/locations')
  await page.getByLabel('Include deleted').check()
  const found = page.getByRole('region', { name: 'Found locations' }).locator('tbody tr')
  await found.filter({ hasText: 'Dock' }).getByText('Deleted').waitFor()
  await found.getByRole('link', { name: 'Dock' }).click()
  await page.getByText(/^This location was deleted/).waitFor()
  await page.getByText('Its parent location Hall is deleted.').waitFor()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Restore' }).click()
  await page.getByRole('heading', { level: 1, name: 'Dock' }).waitFor()
  await page.getByRole('region', { name: 'Assets here' }).getByRole('link', { name: 'Two' }).waitFor()
  const params = { path: { location_id: dock } }
  const { data } = unwrap(await organization.integrator.GET('/api/v1/locations/{location_id}', { params }))
  expect(data).toMatchObject({ parent_id: null, deleted_at: null })
})

test('keeps loaded data offline', async ({ member, organization }) => {
  const { page, context } = member
  const { hall, one } = await scene(organization)
  await member.open(`/locations/${hall}`)
  await page.getByRole('link', { name: one.name }).waitFor()
  await context.setOffline(true)
  await page.getByText('You are offline').waitFor()
  await expect.poll(() => page.getByRole('link', { name: one.name }).isVisible()).toBe(true)
})
