import { expect } from 'vitest'
import { unwrap } from '@whereabouts/client/client'
import { newAsset, newLocation, newReader, newWebhook, type Organization } from '../system/organization.ts'
import { connectReader } from '../system/readers.ts'
import { expectAccessible } from './support/accessible.ts'
import { readAt } from './support/readings.ts'
import { STACK, test } from './support/visitor.fixture.ts'

async function readUnknownTag(org: Organization): Promise<void> {
  const link = await connectReader(STACK, org.readerKey, 'nats')
  const reads = [{ tag: { type: 'rfid', value: 'E200AAAA' } }]
  await link.publish(org.id, 'gate-1', 'canonical', Buffer.from(JSON.stringify({ reads })))
  await link.close()
  const unknown = async () => unwrap(await org.admin.GET('/api/v1/unknown-tags')).total_count
  await expect.poll(unknown, { timeout: 10_000 }).toBe(1)
}

/** A webhook at an address where nothing listens. */
async function newDeadWebhook(org: Organization): Promise<void> {
  await newWebhook(org, 'http://127.0.0.1:9/hook')
}

/** Resolves when the first attempt of a delivery has failed. */
async function deliveryFailed(org: Organization): Promise<void> {
  const [webhook] = unwrap(await org.admin.GET('/api/v1/webhooks')).data
  const params = { path: { webhook_id: webhook?.id ?? 0 } }
  const attempts = async () =>
    unwrap(await org.admin.GET('/api/v1/webhooks/{webhook_id}/deliveries', { params })).total_count
  await expect.poll(attempts, { timeout: 10_000 }).toBeGreaterThan(0)
}

test('an empty organization is led to Getting started', async ({ member }) => {
  const { page } = member
  await member.open('/')
  await page.getByText('Nothing is tracked yet').waitFor()
  await page.getByRole('link', { name: 'Get started' }).click()
  await page.waitForURL('**/start')
})

test('shows counts, movements, assets by location and what needs attention, updated live', async ({
  member,
  organization,
}) => {
  const { page, context } = member
  const hall = await newLocation(organization, 'Hall', 'HALL')
  await newLocation(organization, 'Yard', 'YARD')
  unwrap(
    await organization.integrator.POST('/api/v1/locations', { body: { name: 'Bay 7', parent_id: hall } }),
  )
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
  await readUnknownTag(organization)
  await newDeadWebhook(organization)
  await put('HALL')
  await deliveryFailed(organization)
  await member.open('/')
  const attention = page.getByRole('region', { name: 'Needs attention' })
  await attention.getByText('gate-2 has never sent a message.').waitFor()
  await attention.getByRole('link', { name: '1 unknown tag', exact: true }).waitFor()
  await attention.getByText('Webhook: the last delivery failed').waitFor()
  await attention.getByRole('link', { name: /^\d+ failed delivery attempts?$/ }).waitFor()
  const moved = page.getByRole('region', { name: 'Just moved' }).getByRole('listitem')
  await moved.getByText('Two came to Hall').waitFor()
  await expect.poll(() => moved.allTextContents()).toHaveLength(2)
  const count = (name: string) => page.locator(`[data-count=${name}]`).textContent()
  expect([
    await count('assets'),
    await count('locations'),
    await count('readers'),
    await count('unknownTags'),
  ]).toEqual(['2', '3', '2', '1'])
  const row = (name: string) => page.locator('.tree-row').filter({ hasText: name })
  await row('Hall').getByText('2 here, 2 in total').waitFor()
  await row('Bay 7').getByText('0 here, 0 in total').waitFor() // the first level is open
  await page.getByRole('button', { name: 'Sub-locations of Hall' }).click()
  await row('Bay 7').waitFor({ state: 'hidden' })
  expect(await page.getByRole('button', { name: /^Move/ }).count()).toBe(0)
  await page.getByRole('img', { name: 'Movements in the last 24 hours: 5 movements' }).waitFor()
  await put('YARD')
  await row('Yard').getByText('2 here, 2 in total').waitFor()
  await row('Hall').getByText('0 here, 0 in total').waitFor()
  await moved.getByText('One came to Yard').waitFor()
  await expect.poll(() => moved.allTextContents()).toHaveLength(2)
  await page.getByText('Show as table').click()
  await page
    .getByRole('region', { name: 'Movements in the last 24 hours' })
    .getByRole('row')
    .nth(24)
    .waitFor()
  await expectAccessible(page)
  await page.getByText('Show as table').click()
  await context.setOffline(true)
  await page.getByText('You are offline').waitFor()
  await expect.poll(() => row('Yard').isVisible()).toBe(true)
})

test('each exception leads to the list with exactly these', async ({ member, organization }) => {
  const { page } = member
  const hall = await newLocation(organization, 'Hall', 'HALL')
  await newReader(organization, { key: 'gate-2', format: 'canonical', locationId: hall, antennas: 1 })
  const lost = { tag_type: 'rfid' as const, value: 'E28011600001' }
  const { id } = await newAsset(organization, 'Lost', [lost])
  const { external_key: key } = await newAsset(organization, 'Just seen', [])
  await newAsset(organization, 'Never seen', [])
  const almostADay = 24 - 1 / 30
  await readAt(organization, { id, tag: lost.value }, [{ location: 'HALL', hoursAgo: almostADay }])
  const body = { asset_identifiers: [key], location_identifier: 'HALL' }
  unwrap(await organization.integrator.POST('/api/v1/inventory/save', { body }))
  await page.clock.install()
  await page.clock.fastForward('05:00') // reads of more than a day ago are not accepted
  await member.open('/')
  const attention = page.getByRole('region', { name: 'Needs attention' })
  await attention.getByText('Lost at Hall').waitFor()
  await attention.getByRole('link', { name: '1 asset not seen for 24 h' }).click()
  await page.waitForURL('**/assets?seen=24h')
  await page
    .getByRole('region', { name: 'Assets', exact: true })
    .getByRole('link', { name: 'Lost' })
    .waitFor()
  await page.getByText('1 asset', { exact: true }).waitFor()
  await member.open('/')
  await attention.getByRole('link', { name: '1 reader without messages' }).click()
  await page.waitForURL('**/readers?status=quiet')
  await page
    .getByRole('region', { name: 'Readers', exact: true })
    .getByRole('link', { name: 'gate-2' })
    .waitFor()
  await page.getByText('1 reader', { exact: true }).waitFor()
})

test('C15 a failure shows the request ID; one movement is not "1 movements"', async ({
  member,
  organization,
}) => {
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
  await page.getByText('Nothing has moved yet.').waitFor()
  await page.getByText('Nothing. All readers send as usual, and all tags are known.').waitFor()
  const one = await newAsset(organization, 'One', [])
  const body = { asset_identifiers: [one.external_key], location_identifier: 'HALL' }
  unwrap(await organization.integrator.POST('/api/v1/inventory/save', { body }))
  await page.unroute('**/api/v1/movements/summary*')
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByText('1 movement. Busiest hour: 1.', { exact: true }).waitFor()
})
