import { unwrap } from '@whereabouts/client/client'
import { text as textOf } from 'node:stream/consumers'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { newAsset, newLocation, type Organization } from '../system/organization.ts'
import { expectAccessible } from './support/accessible.ts'
import { test } from './support/visitor.fixture.ts'

const row = (page: Page, name: string) => page.getByRole('row', { name: new RegExp(name) })

/** Saves the location of assets, as an operator does. */
async function save(org: Organization, location: string, assets: readonly string[]): Promise<void> {
  const body = { location_identifier: location, asset_identifiers: [...assets] }
  unwrap(await org.integrator.POST('/api/v1/inventory/save', { body }))
}

/** Imports `Pallet 001` and so on: faster than one request each. */
async function importPallets(org: Organization, count: number): Promise<void> {
  const lines = Array.from({ length: count }, (_, i) => {
    const number = String(i + 1).padStart(3, '0')
    return `PALLET-${number},Pallet ${number},${i % 2 === 0 ? 'inventory' : 'asset'},${i !== 0}`
  })
  const { id } = unwrap(
    await org.admin.POST('/api/v1/imports', {
      params: { query: { resource: 'assets' } },
      headers: { 'content-type': 'text/csv' },
      body: ['external_key,name,type,is_active', ...lines].join('\n'),
      bodySerializer: (text) => text,
    }),
  ).data
  const path = { import_id: id }
  await expect
    .poll(async () => unwrap(await org.admin.GET('/api/v1/imports/{import_id}', { params: { path } })).data, {
      timeout: 15_000,
    })
    .toMatchObject({ state: 'done', created: count })
}

test('a new asset is created from the empty list; a mistake is shown at its field', async ({ member }) => {
  const { page } = member
  await member.open('/assets')
  await page.getByText('No assets yet').waitFor()
  await page.getByRole('button', { name: 'New asset' }).click()
  const form = page.getByRole('dialog', { name: 'New asset' })
  await form.getByLabel('Name').fill('Forklift 7')
  await form.getByLabel('External key').fill('no key')
  await form.getByLabel('Metadata').fill('{"maker":')
  await form.getByRole('button', { name: 'Add tag' }).click()
  await form.getByLabel('Value of tag 1').fill('E280116060000207')
  await form.getByRole('button', { name: 'Create asset' }).click()
  await form.getByText('Not valid JSON').waitFor()
  await form.getByLabel('Metadata').fill('{"maker": "Linde"}')
  await form.getByRole('button', { name: 'Create asset' }).click()
  await form.getByText('Use only letters, digits and hyphens').waitFor()
  expect(await form.getByLabel('External key').getAttribute('aria-invalid')).toBe('true')
  await expectAccessible(page)
  await form.getByLabel('External key').fill('FORKLIFT-7')
  await form.getByRole('button', { name: 'Create asset' }).click()
  await page.getByRole('heading', { name: 'Forklift 7', level: 1 }).waitFor()
  await page.goBack()
  await row(page, 'FORKLIFT-7').getByText('E280116060000207').waitFor()
  await row(page, 'FORKLIFT-7').getByText('Never scanned').waitFor()
})

test('assets are searched, filtered, sorted and paged by the API, and show their location', async ({
  member,
  organization,
}) => {
  const { page, context } = member
  await importPallets(organization, 60)
  await newLocation(organization, 'Receiving dock', 'DOCK-1')
  await newLocation(organization, 'Shelf', 'SHELF-1')
  await save(organization, 'DOCK-1', ['PALLET-001', 'PALLET-002'])
  const searches: string[] = []
  page.on('request', (request) => {
    const { pathname, searchParams } = new URL(request.url())
    if (pathname === '/api/v1/assets' && searchParams.has('q')) searches.push(searchParams.get('q') ?? '')
  })
  await member.open('/assets')
  await page.getByText('1–50 of 60 assets').waitFor()
  await row(page, 'PALLET-001').getByRole('link', { name: 'Receiving dock' }).waitFor()
  // Only what is unusual has a badge.
  await expect.poll(() => row(page, 'PALLET-001').getByText('Inactive').count()).toBe(1)
  expect(
    await row(page, 'PALLET-002')
      .getByText(/Active/)
      .count(),
  ).toBe(0)

  // The row follows a movement without a reload of the page.
  await page.getByText('Connected', { exact: true }).first().waitFor()
  await save(organization, 'SHELF-1', ['PALLET-001'])
  await row(page, 'PALLET-001').getByRole('link', { name: 'Shelf' }).waitFor()

  await page.getByRole('button', { name: 'Page 2 of assets' }).click()
  await page.getByText('51–60 of 60 assets').waitFor()
  // The clock of the page waits for the keys, because a slow machine types slower than the page waits for more of them.
  await page.clock.pauseAt(Date.now() + 60_000)
  await page.getByLabel('Search').pressSequentially('pallet')
  for (let ms = 0; ms < 100; ms += 10) await page.clock.runFor(10)
  await page.getByLabel('Search').pressSequentially(' 00')
  await page.clock.resume()
  await page.getByText('1–9 of 9 assets').waitFor()
  expect(searches).toEqual(['pallet 00'])
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Name' }).click()
  await page.waitForURL(/sort=-name/)
  await page.getByRole('row').nth(1).getByText('Pallet 009').waitFor()
  await page.getByLabel('Type').selectOption('asset')
  await page.getByText('1–4 of 4 assets').waitFor()
  await page.reload()
  await page.getByText('1–4 of 4 assets').waitFor()
  await page.getByLabel('Search').fill('nothing is called so')
  await page.getByText('No matching assets').waitFor()
  await page.getByRole('button', { name: 'Show all assets' }).click()
  await page.getByText('1–50 of 60 assets').waitFor()
  await expect.poll(() => page.getByLabel('Search').inputValue()).toBe('')
  await page.getByLabel('Active').selectOption('false')
  await page.getByText('1 asset', { exact: true }).waitFor()

  await context.setOffline(true)
  await page.getByText('You are offline').waitFor()
  await row(page, 'PALLET-001').waitFor()
  await context.setOffline(false)
})

test('assets are listed by location, with its sub-locations, and by when they were seen', async ({
  member,
  organization,
}) => {
  const { page } = member
  const hall = await newLocation(organization, 'Hall', 'HALL')
  const bay = { name: 'Bay', external_key: 'BAY', parent_id: hall }
  unwrap(await organization.integrator.POST('/api/v1/locations', { body: bay }))
  await newLocation(organization, 'Yard', 'YARD')
  await importPallets(organization, 4)
  await save(organization, 'HALL', ['PALLET-001'])
  await save(organization, 'BAY', ['PALLET-002'])
  await save(organization, 'YARD', ['PALLET-003'])
  await member.open('/assets?type=asset')
  await row(page, 'Pallet 002').waitFor()
  await page.getByRole('combobox', { name: 'Location', exact: true }).fill('hal')
  await page.getByRole('option', { name: 'Hall (HALL)' }).click()
  await page.getByText('1–2 of 2 assets').waitFor()
  await row(page, 'Pallet 001').getByRole('link', { name: 'Hall' }).waitFor()
  await row(page, 'Pallet 002').getByRole('link', { name: 'Bay' }).waitFor()
  await page.getByText('Type, Active and the export do not go with').waitFor()
  await expect.poll(() => page.getByLabel('Type', { exact: true }).isDisabled()).toBe(true)
  await expectAccessible(page)
  await page.getByLabel('With sub-locations').uncheck()
  await page.getByText('1 asset', { exact: true }).waitFor()
  await row(page, 'Pallet 001').waitFor()
  await page.getByRole('button', { name: 'Last seen' }).click()
  await page.waitForURL(/sort=-last_seen/)
  await page.reload()
  await page.getByText('1 asset', { exact: true }).waitFor()
  await expect
    .poll(() => page.getByRole('combobox', { name: 'Location', exact: true }).inputValue())
    .toBe('Hall (HALL)')
  await page.getByLabel('Not seen for').selectOption('1 hour')
  await page.getByText('No matching assets').waitFor()
  await page.getByRole('button', { name: 'Show all assets' }).click()
  await page.getByText('1–4 of 4 assets').waitFor()
  const heads = await page.getByRole('columnheader').allTextContents()
  const cell = (name: string, head: string) =>
    row(page, name)
      .getByRole('cell')
      .nth(heads.findIndex((each) => each.startsWith(head)))
  await cell('Pallet 003', 'Here since').locator('time').waitFor()
  await expect.poll(() => cell('Pallet 004', 'Last seen').textContent()).toBe('–')
})

const DELETED = {
  external_key: 'CRATE',
  name: 'Old crate',
  tags: [{ tag_type: 'rfid' as const, value: 'E28011' }],
}

async function newDeleted(org: Organization): Promise<number> {
  const { id } = unwrap(await org.integrator.POST('/api/v1/assets', { body: DELETED })).data
  await org.integrator.DELETE('/api/v1/assets/{asset_id}', { params: { path: { asset_id: id } } })
  return id
}

test('a deleted asset is found in the list and restored on its page', async ({ member, organization }) => {
  const { page } = member
  await newDeleted(organization)
  await member.open('/assets')
  await page.getByText('No assets yet').waitFor()
  await page.getByLabel('Include deleted').check()
  await row(page, 'Old crate').getByText('Deleted', { exact: true }).waitFor()
  await page.getByRole('link', { name: 'Old crate' }).click()
  await page.getByText(/^This asset was deleted (now|\d+ seconds? ago)/).waitFor()
  await page.getByText('It comes back under its key CRATE with its tag. Its history').waitFor()
  expect(await page.getByRole('button', { name: 'Edit' }).count()).toBe(0)
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Restore' }).click()
  await page.getByRole('heading', { name: 'Old crate', level: 1 }).waitFor()
  await page.getByText('Old crate restored.').waitFor()
  await page.getByRole('button', { name: 'Detach E28011' }).waitFor()
})

test('a restore names what others have now, and asks for another key', async ({ member, organization }) => {
  const { page } = member
  const id = await newDeleted(organization)
  unwrap(await organization.integrator.POST('/api/v1/assets', { body: { ...DELETED, name: 'New crate' } }))
  await member.open(`/assets/${id}`)
  await page.getByText('These tags do not come back').waitFor()
  await page.getByRole('listitem').filter({ hasText: 'rfid E28011: New crate' }).waitFor()
  const key = page.getByRole('textbox', { name: 'New external key' })
  await page.getByRole('button', { name: 'Restore' }).click()
  await page.getByText('Enter another key.').waitFor()
  await key.fill('CRATE-2')
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Restore' }).click()
  await page.getByRole('heading', { name: 'Old crate', level: 1 }).waitFor()
  await page.getByText('No tags yet.').waitFor()
  const { data } = unwrap(await organization.integrator.GET('/api/v1/assets'))
  expect(data.map(({ external_key: each, name }) => [each, name])).toEqual([
    ['CRATE', 'New crate'],
    ['CRATE-2', 'Old crate'],
  ])
})

test('a failed list shows the request ID and loads on retry', async ({ member }) => {
  const { page } = member
  const error = {
    type: 'rate_limited',
    title: 'Rate limited',
    status: 429,
    detail: 'retry after 1 second',
    instance: '/api/v1/assets',
    request_id: '01JD0000000000000000000000',
  }
  await page.route('**/api/v1/assets?*', (route) => route.fulfill({ status: 429, json: { error } }))
  await member.open('/assets')
  await page.getByRole('alert').getByText('01JD0000000000000000000000').waitFor()
  await page.unroute('**/api/v1/assets?*')
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByText('No assets yet').waitFor()
})

/** Clicks an export button, and returns the rows of the file. */
async function exported(page: Page, button: string): Promise<string[]> {
  const downloading = page.waitForEvent('download')
  await page.getByRole('button', { name: button, exact: true }).click()
  const download = await downloading
  expect(download.suggestedFilename()).toBe('assets.csv')
  return (await textOf(await download.createReadStream())).trimEnd().split('\r\n')
}

test('the export has the shown assets in their order, with their locations', async ({
  member,
  organization,
}) => {
  const { page } = member
  await importPallets(organization, 12)
  await newLocation(organization, 'Receiving dock', 'DOCK-1')
  await save(organization, 'DOCK-1', ['PALLET-002'])
  await member.open('/assets?q=pallet%2000&sort=-name&type=asset')
  const [head, ...rows] = await exported(page, 'Export these 4')
  expect(head).toMatch(/^external_key,name,.*,location_external_key,location_name,asset_last_seen$/)
  expect(rows.map((line) => line.split(',')[0])).toEqual([
    'PALLET-008',
    'PALLET-006',
    'PALLET-004',
    'PALLET-002',
  ])
  expect(rows[3]).toMatch(/,DOCK-1,Receiving dock,2\d{3}-.*Z$/)
  await member.open('/assets')
  expect(await exported(page, 'Export all 12')).toHaveLength(13)
})

test('an export that fails says why, and works on retry', async ({ member, organization }) => {
  const { page } = member
  await newAsset(organization, 'Forklift 7', [])
  await member.open('/assets')
  const detail = 'The locations of the assets are not available now, so the export was not made'
  const error = { type: 'service_unavailable', title: 'Unavailable', status: 503, detail, instance: '/', request_id: 'R1' } // oxfmt-ignore
  await page.route('**/api/v1/exports/assets*', (route) => route.fulfill({ status: 503, json: { error } }))
  await page.getByRole('button', { name: 'Export 1 asset' }).click()
  await page.getByRole('alert').getByText(`${detail}. Try again in a moment.`).waitFor()
  await page.unroute('**/api/v1/exports/assets*')
  expect(await exported(page, 'Try again')).toHaveLength(2)
})

test('on a phone every asset is a card, and the list can be sorted', async ({ member, organization }) => {
  const { page } = member
  await importPallets(organization, 3)
  await page.setViewportSize({ width: 360, height: 780 })
  await member.open('/assets')
  await page.getByRole('link', { name: 'Pallet 001' }).waitFor()
  const region = page.getByRole('region', { name: 'Assets' })
  expect(await region.evaluate((node) => node.scrollWidth - node.clientWidth)).toBeLessThanOrEqual(0)
  await page.getByLabel('Sort by').selectOption('Name, Z first')
  await expect.poll(() => region.getByRole('link').first().textContent()).toBe('Pallet 003')
})

test('the columns keep their widths during a search, and on a phone the dates of a form are not cut', async ({
  member,
  organization,
}) => {
  const { page } = member
  await newAsset(organization, 'Forklift 7', [])
  const tags = [{ tag_type: 'barcode' as const, value: 'A'.repeat(60) }]
  await newAsset(organization, 'A crate with a name that is longer than its column', tags)
  await member.open('/assets')
  await row(page, 'Forklift 7').waitFor()
  const widths = async () => {
    const boxes = (await page.getByRole('columnheader').all()).map((head) => head.boundingBox())
    return (await Promise.all(boxes)).map((box) => box?.width)
  }
  const before = await widths()
  await page.getByLabel('Search').fill('Forklift')
  await row(page, 'A crate').waitFor({ state: 'detached' })
  expect(await widths()).toEqual(before)

  await page.setViewportSize({ width: 390, height: 844 })
  await page.getByRole('button', { name: 'New asset' }).click()
  const from = await page.getByRole('dialog').getByLabel('Valid from').boundingBox()
  expect(from?.width).toBeGreaterThan(250)
})

test('a session that ends during typing loses no text', async ({ member, organization }) => {
  const { page, context } = member
  unwrap(
    await organization.integrator.POST('/api/v1/assets', { body: { name: 'One', external_key: 'TAKEN' } }),
  )
  await member.open('/assets')
  await page.getByRole('button', { name: 'New asset' }).click()
  const form = page.getByRole('dialog', { name: 'New asset' })
  await form.getByLabel('Name').fill('Typed before')
  await form.getByLabel('Description').fill('and not to be typed again')
  await form.getByLabel('External key').fill('TAKEN')
  await context.clearCookies()
  let refused = 0
  await page.route('**/api/v1/assets', async (route) => {
    if (refused > 0 || route.request().method() !== 'POST') return route.continue()
    refused += 1
    return route.fulfill({ status: 401, json: {} })
  })
  await form.getByRole('button', { name: 'Create asset' }).click()
  const again = page.getByRole('dialog', { name: 'Sign in again' })
  await again.waitFor()
  await page.keyboard.press('Escape') // must close neither dialog
  await again.getByRole('textbox', { name: 'Password' }).fill(organization.login.password)
  await again.getByRole('button', { name: 'Sign in' }).click()
  // The pending request continued and was refused. All typed text is still there.
  await form.getByRole('alert').getByText('Asset TAKEN already exists').waitFor()
  await expect.poll(() => form.getByLabel('Description').inputValue()).toBe('and not to be typed again')
  await form.getByLabel('External key').fill('KEY-1')
  await form.getByRole('button', { name: 'Create asset' }).click()
  await page.getByRole('heading', { name: 'Typed before', level: 1 }).waitFor()
  expect(refused).toBe(1)
  const { data } = unwrap(await organization.integrator.GET('/api/v1/assets'))
  expect(data).toMatchObject([
    { name: 'Typed before', external_key: 'KEY-1', description: 'and not to be typed again' },
    { external_key: 'TAKEN' },
  ])
})
