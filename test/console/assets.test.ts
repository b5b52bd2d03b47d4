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
  await member.picture('new-asset')
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
  await row(page, 'PALLET-001').getByRole('link', { name: 'DOCK-1' }).waitFor()
  await member.picture('assets')
  await page.setViewportSize({ width: 390, height: 844 })
  await member.picture('assets-phone')
  await page.setViewportSize({ width: 1280, height: 900 })

  // The row follows a movement without a reload of the page.
  await page.getByText('Live', { exact: true }).first().waitFor()
  await save(organization, 'SHELF-1', ['PALLET-001'])
  await row(page, 'PALLET-001').getByRole('link', { name: 'SHELF-1' }).waitFor()

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
  expect(await page.getByLabel('Search').inputValue()).toBe('')
  await page.getByLabel('Active').selectOption('false')
  await page.getByText('1–1 of 1 assets').waitFor()

  await context.setOffline(true)
  await page.getByText('You are offline').waitFor()
  await row(page, 'PALLET-001').waitFor()
  await context.setOffline(false)
})

test('deleted assets are shown on request', async ({ member, organization }) => {
  const { page } = member
  const { id } = await newAsset(organization, 'Old crate', [])
  await organization.integrator.DELETE('/api/v1/assets/{asset_id}', { params: { path: { asset_id: id } } })
  await member.open('/assets')
  await page.getByText('No assets yet').waitFor()
  await page.getByLabel('Include deleted').check()
  await row(page, 'Old crate').getByText('Deleted', { exact: true }).waitFor()
  expect(await page.getByRole('link', { name: 'Old crate' }).count()).toBe(0)
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

test('the export contains all assets', async ({ member, organization }) => {
  const { page } = member
  await newAsset(organization, 'Forklift 7', [{ tag_type: 'rfid', value: 'E280' }])
  await member.open('/assets')
  const downloading = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Export CSV' }).click()
  const download = await downloading
  expect(download.suggestedFilename()).toBe('assets.csv')
  const [head, line] = (await textOf(await download.createReadStream())).split('\r\n')
  expect(head).toMatch(/^external_key,name,/)
  expect(line).toMatch(/^ASSET-0001,Forklift 7,.*E280/)
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
  expect(await form.getByLabel('Description').inputValue()).toBe('and not to be typed again')
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
