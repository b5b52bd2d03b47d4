import { expect } from 'vitest'
import { newAsset, newLocation, type Organization } from '../system/organization.ts'
import { expectAccessible } from './support/accessible.ts'
import { isLive } from './support/tabs.ts'
import { test } from './support/visitor.fixture.ts'

const save = async (org: Organization, assets: string[], location: string) => {
  const body = { asset_identifiers: assets, location_identifier: location }
  const { response } = await org.integrator.POST('/api/v1/inventory/save', { body })
  expect(response.status).toBe(201)
}

/** A system that has just started counts since its start. */
const counted = (movements: number) => new RegExp(`^Movements: ${movements} (?:in the last minute|since \\d)`)

async function scene(org: Organization) {
  await newLocation(org, 'Hall', 'HALL')
  await newLocation(org, 'Dock', 'DOCK')
  const forklift = await newAsset(org, 'Forklift 7', [])
  const pallet = await newAsset(org, 'Pallet 31', [])
  return { forklift: forklift.external_key, pallet: pallet.external_key }
}

test('shows live movements, newest first, and filters them', async ({ member, organization }) => {
  const { page } = member
  const { forklift, pallet } = await scene(organization)
  await member.open('/live')
  await page.getByText(/^(?:Nothing moved in the last 5 minutes|No movements since \d)/).waitFor()
  await isLive(page)
  await save(organization, [forklift], 'HALL')
  const rows = page.getByRole('region', { name: 'Movements' }).locator('tbody tr')
  await rows.filter({ hasText: 'Forklift 7' }).filter({ hasText: 'Unknown' }).waitFor()
  await save(organization, [forklift, pallet], 'DOCK')
  await rows.nth(2).waitFor()
  const texts = await rows.allTextContents()
  expect(texts.at(-1)).toMatch(/Forklift 7.*Unknown.*Hall/)
  expect(texts.filter((text) => /Forklift 7.*Hall.*Dock/.test(text))).toHaveLength(1)
  await page
    .getByRole('img', { name: counted(3) })
    .locator('canvas')
    .waitFor()
  await expectAccessible(page)
  await page.setViewportSize({ width: 360, height: 800 })
  const list = page.getByRole('region', { name: 'Movements' })
  expect(await list.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0)
  await page.setViewportSize({ width: 1280, height: 900 })

  await page.getByLabel('Filter').fill('pallet')
  await expect.poll(() => rows.count()).toBe(1)
  await page.waitForURL('**/live?q=pallet')
  await page.getByLabel('Filter').fill('crane')
  await page.getByText('No matching movements').waitFor()
})

test('a paused list counts new movements and shows them on resume', async ({ member, organization }) => {
  const { page } = member
  const { forklift, pallet } = await scene(organization)
  await member.open('/live')
  await isLive(page)
  await save(organization, [forklift], 'HALL')
  const rows = page.getByRole('region', { name: 'Movements' }).locator('tbody tr')
  await rows.first().waitFor()
  await page.getByRole('button', { name: 'Pause' }).click()
  await save(organization, [forklift, pallet], 'DOCK')
  const resume = page.getByRole('button', { name: 'Resume, 2 new' })
  await resume.waitFor()
  await expect.poll(() => rows.count()).toBe(1)
  await resume.click()
  await expect.poll(() => rows.count()).toBe(3)
})

test('starts with the last five minutes, and counts each movement once', async ({ member, organization }) => {
  const { page } = member
  const { forklift, pallet } = await scene(organization)
  await save(organization, [forklift, pallet], 'HALL')
  const rows = page.getByRole('region', { name: 'Movements' }).locator('tbody tr')
  await expect.poll(async () => recentCount(organization)).toBe(2)
  await member.open('/live')
  await rows.nth(1).waitFor()
  await page.getByText(counted(2)).waitFor()
  await save(organization, [forklift], 'DOCK')
  await page.getByText(counted(3)).waitFor()
  await page.reload()
  await page.getByText(counted(3)).waitFor()
  await rows.nth(2).waitFor()
  await expect.poll(() => rows.first().textContent()).toMatch(/Forklift 7.*Hall.*Dock/)
  await expect.poll(() => rows.count()).toBe(3)
})

const recentCount = async ({ admin }: Organization) =>
  (await admin.GET('/api/v1/movements/recent')).data?.data.movements.length

test('marks a gap that the last minutes do not fill, and keeps the list offline', async ({
  member,
  organization,
}) => {
  const { page, context } = member
  const { forklift } = await scene(organization)
  await page.route('**/api/v1/movements/live', (route) =>
    route.fulfill({ contentType: 'text/event-stream', body: 'event: reset\ndata: {}\n\n' }),
  )
  await page.route('**/api/v1/movements/recent', (route) => route.abort())
  await member.open('/live')
  await page.getByText('Movements may be missing here').first().waitFor()
  await page.unroute('**/api/v1/movements/live')
  await isLive(page)
  await page.getByText(/^Movements: 0 since \d/).waitFor()
  await save(organization, [forklift], 'HALL')
  await page.getByRole('link', { name: 'Forklift 7' }).waitFor()
  await context.setOffline(true)
  await page.getByText('You are offline').waitFor()
  await page
    .getByRole('status')
    .filter({ hasText: /^Offline$/ })
    .waitFor()
  expect(
    await page
      .getByRole('status')
      .filter({ hasText: /^Connected$/ })
      .count(),
  ).toBe(0)
  expect(await page.getByText(/^Movements: /).count()).toBe(0)
  await expect.poll(() => page.getByRole('link', { name: 'Forklift 7' }).isVisible()).toBe(true)
  await page.setViewportSize({ width: 360, height: 800 })
  await page
    .getByRole('status')
    .filter({ hasText: /^Offline$/ })
    .waitFor()
  await context.setOffline(false)
  await isLive(page)
})
