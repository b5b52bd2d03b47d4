import { expect } from 'vitest'
import { newAsset, newLocation, newReader } from '../system/organization.ts'
import { expectAccessible } from './support/accessible.ts'
import { readAt } from './support/readings.ts'
import { test } from './support/visitor.fixture.ts'

test('an empty organization is led to Getting started', async ({ member }) => {
  const { page } = member
  await member.open('/')
  await page.getByText('Nothing is tracked yet').waitFor()
  await page.getByRole('link', { name: 'Get started' }).click()
  await page.waitForURL('**/start')
})

test('shows counts, movements by hour, assets by location and silent readers, updated live', async ({
  member,
  organization,
}) => {
  const { page, context } = member
  const hall = await newLocation(organization, 'Hall', 'HALL')
  await newLocation(organization, 'Yard', 'YARD')
  const tags = [{ tag_type: 'rfid' as const, value: 'E28011600001' }]
  const assets = [await newAsset(organization, 'One', tags), await newAsset(organization, 'Two', [])]
  await newReader(organization, { key: 'gate-2', format: 'canonical', locationId: hall, antennas: 1 })
  await readAt(organization, { id: assets[0]!.id, tag: 'E28011600001' }, [
    { location: 'YARD', hoursAgo: 9 },
    { location: 'HALL', hoursAgo: 7 },
    { location: 'YARD', hoursAgo: 3 },
  ])
  const put = (location: string) =>
    organization.integrator.POST('/api/v1/inventory/save', {
      body: { asset_identifiers: assets.map((asset) => asset.external_key), location_identifier: location },
    })
  await put('HALL')
  await member.open('/')
  await page.getByRole('link', { name: 'gate-2' }).waitFor()
  const count = (name: string) => page.locator(`[data-count=${name}]`).textContent()
  expect([
    await count('assets'),
    await count('locations'),
    await count('readers'),
    await count('unknownTags'),
  ]).toEqual(['2', '2', '2', '0'])
  const row = (name: string) => page.locator('.tree-row').filter({ hasText: name })
  await row('Hall').getByText('2 here, 2 in total').waitFor()
  expect(await page.getByRole('button', { name: /^Move/ }).count()).toBe(0)
  await page.getByRole('img', { name: 'Movements in the last 24 hours: 5 movements' }).waitFor()
  await put('YARD')
  await row('Yard').getByText('2 here, 2 in total').waitFor()
  await row('Hall').getByText('0 here, 0 in total').waitFor()
  await page.getByText('Show as table').click()
  await page
    .getByRole('region', { name: 'Movements in the last 24 hours' })
    .getByRole('row')
    .nth(24)
    .waitFor()
  await expectAccessible(page)
  await page.getByText('Show as table').click()
  await member.picture('overview')
  await page.setViewportSize({ width: 390, height: 844 })
  await member.picture('overview-phone')
  await page.setViewportSize({ width: 1280, height: 900 })
  await context.setOffline(true)
  await page.getByText('You are offline').waitFor()
  expect(await row('Yard').isVisible()).toBe(true)
})

test('a failure shows the request ID', async ({ member, organization }) => {
  await newLocation(organization, 'Hall', 'HALL')
  const { page } = member
  await page.route('**/api/v1/movements/summary*', (route) =>
    route.fulfill({
      status: 503,
      json: {
        error: {
          type: 'service_unavailable',
          title: 'Service unavailable',
          status: 503,
          detail: 'The service is temporarily unavailable',
          instance: '/api/v1/movements/summary',
          request_id: 'REQUEST-2',
        },
      },
    }),
  )
  await member.open('/')
  await page.getByRole('alert').getByText('REQUEST-2').waitFor()
  await page.locator('.tree-row').filter({ hasText: 'Hall' }).waitFor()
})
