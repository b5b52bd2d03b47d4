import { unwrap } from '@whereabouts/client/client'
import { expect } from 'vitest'
import { newAsset } from '../system/organization.ts'
import { expectAccessible } from './support/accessible.ts'
import { envelope } from './support/refused.ts'
import { saved } from './support/moves.ts'
import { hide, show } from './support/tabs.ts'
import { test } from './support/visitor.fixture.ts'

const FEED = '**/api/v1/events?*'

test('events appear as they happen, of one type if asked for, and what happened while the tab was hidden', async ({
  member,
  organization,
}) => {
  const { page } = member
  await saved(organization, 'Earlier')
  await member.open('/events')
  await page.getByText('No events yet').waitFor()
  await expectAccessible(page)
  const rows = page.getByRole('region', { name: 'Events', exact: true }).locator('tbody tr')
  await saved(organization, 'Crane')
  await rows.filter({ hasText: 'Asset moved' }).filter({ hasText: 'Crane' }).waitFor()
  await rows.filter({ hasText: 'Asset created' }).getByRole('link', { name: 'Crane' }).waitFor()
  await rows.filter({ hasText: 'Location created' }).waitFor()
  expect(await page.getByText('Earlier').count()).toBe(0)
  await rows
    .first()
    .getByRole('button', { name: /^Open / })
    .click()
  await page.getByRole('dialog').getByText('"recorded_at"').waitFor()
  await expectAccessible(page)
  await page.keyboard.press('Escape')

  for (const name of ['One', 'Two', 'Three']) {
    await hide(page)
    await newAsset(organization, name, [])
    await show(page)
    await rows.filter({ hasText: name }).waitFor()
    expect(await rows.filter({ hasText: name }).count()).toBe(1)
  }

  await page.getByLabel('Event', { exact: true }).selectOption('Asset deleted')
  await page.waitForURL('**/events?type=asset.deleted')
  await page.getByText('No events yet').waitFor()
  const { id } = await newAsset(organization, 'Pallet', [])
  unwrap(
    await organization.integrator.DELETE('/api/v1/assets/{asset_id}', { params: { path: { asset_id: id } } }),
  )
  await rows.filter({ hasText: 'Asset deleted' }).filter({ hasText: 'Pallet' }).waitFor()
  expect(await rows.count()).toBe(1)
  expect(await rows.getByRole('link').count()).toBe(0)
})

test('two tabs show the same events; one that is refused says so and goes on by itself', async ({
  member,
  organization,
}) => {
  const { page, context } = member
  const other = await context.newPage()
  for (const tab of [page, other]) {
    await tab.goto('/events')
    await tab.getByText('No events yet').waitFor()
  }
  for (let round = 1; round <= 3; round += 1) {
    await page.route(FEED, (route) => route.fulfill(envelope('rate_limited', 'too many streams', 429)))
    await newAsset(organization, `First ${round}`, []) // ends the request that the server holds back, if there is one
    await other.getByRole('link', { name: `First ${round}` }).waitFor()
    await page.getByRole('alert').getByText('Too many requests').waitFor()
    await newAsset(organization, `Second ${round}`, [])
    await other.getByRole('link', { name: `Second ${round}` }).waitFor()
    await page.unroute(FEED)
    for (const name of [`First ${round}`, `Second ${round}`]) await page.getByRole('link', { name }).waitFor()
    await page.getByRole('alert').waitFor({ state: 'detached' })
  }
})
