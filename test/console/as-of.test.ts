import { readFile } from 'node:fs/promises'
import { unwrap } from '@whereabouts/client/client'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { newAsset, newLocation, type Organization } from '../system/organization.ts'
import { expectAccessible } from './support/accessible.ts'
import { readAt } from './support/readings.ts'
import { isLive, movedTo } from './support/tabs.ts'
import { test } from './support/visitor.fixture.ts'

const HOUR_MS = 3_600_000
const hoursAgo = (hours: number) => new Date(Date.now() - hours * HOUR_MS).toISOString()
const rows = (page: Page) => page.getByRole('region', { name: 'Assets', exact: true }).locator('tbody tr')

/** The forklift was at the dock, and then in the hall. The crate is new. Returns the key of the forklift. */
async function moved(organization: Organization): Promise<string> {
  await newLocation(organization, 'Dock', 'DOCK')
  await newLocation(organization, 'Hall', 'HALL')
  const valid_from = hoursAgo(24) // the report of an instant has what was valid then
  const tags = [{ tag_type: 'rfid' as const, value: 'E2801162' }]
  const body = { name: 'Forklift 7', external_key: 'FORKLIFT-7', valid_from, tags }
  const forklift = unwrap(await organization.integrator.POST('/api/v1/assets', { body })).data
  await readAt(organization, { id: forklift.id, tag: 'E2801162' }, [
    { location: 'DOCK', hoursAgo: 6 },
    { location: 'HALL', hoursAgo: 2 },
  ])
  await save(organization, (await newAsset(organization, 'Crate 1', [])).external_key, 'HALL')
  return forklift.external_key
}

async function save(organization: Organization, key: string, location: string): Promise<void> {
  const body = { asset_identifiers: [key], location_identifier: location }
  const { response } = await organization.integrator.POST('/api/v1/inventory/save', { body })
  expect(response.status).toBe(201)
}

test('where everything was: a link shows it, says that it is not now, does not follow, and goes back to now', async ({
  member,
  organization,
}) => {
  const { page } = member
  const key = await moved(organization)
  await member.open(`/assets?at=${hoursAgo(4)}`)
  await rows(page).filter({ hasText: 'Forklift 7' }).getByText('Dock', { exact: true }).waitFor()
  expect(await rows(page).count()).toBe(1)
  const notice = page.getByText(/^Where everything was on /)
  await notice.waitFor()
  await expectAccessible(page)
  await isLive(page)

  // Movements of now change another tab, three times, and here nothing is asked for.
  let asked = 0
  await page.route('**/api/v1/reports/asset-locations*', (route) => {
    asked += 1
    return route.continue()
  })
  const now = await member.context.newPage()
  await now.goto('/assets')
  await isLive(now)
  for (const place of ['Dock', 'Hall', 'Dock']) {
    await save(organization, key, place.toUpperCase())
    await movedTo(now, place)
  }
  expect(asked).toBe(0)
  await rows(page).filter({ hasText: 'Forklift 7' }).getByText('Dock', { exact: true }).waitFor()

  await page.getByRole('button', { name: 'Back to now' }).click()
  await rows(page).filter({ hasText: 'Crate 1' }).getByText('Hall', { exact: true }).waitFor()
  expect(await notice.count()).toBe(0)
  expect(new URL(page.url()).search).toBe('')
})

test('the file has exactly what the list of an instant shows, and its name says the instant', async ({
  member,
  organization,
}) => {
  const { page } = member
  await moved(organization)
  const at = hoursAgo(4)
  await member.open(`/assets?at=${at}&q=Forklift`)
  const downloading = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Export 1 asset' }).click()
  const file = await downloading
  expect(file.suggestedFilename()).toBe(`assets-as-of-${at.replaceAll(/[:.]/g, '-')}.csv`)
  const text = await readFile(await file.path(), 'utf8')
  const [head, row, ...others] = text.split('\r\n')
  expect(head).toMatch(/^\uFEFFasset_id,asset_external_key,/)
  expect(row).toMatch(/,DOCK,/)
  expect(others).toEqual([''])
})

test('an instant is typed in the time of this device; one of the future, or none at all, is not shown as now', async ({
  member,
  organization,
}) => {
  const { page } = member
  await moved(organization)
  await member.open('/assets')
  await rows(page).first().waitFor()
  const at = new Date(Math.floor(Date.now() / 60_000 - 240) * 60_000)
  const berlin = at.toLocaleString('sv-SE', { timeZone: 'Europe/Berlin' }).slice(0, 16).replace(' ', 'T')
  await page.getByLabel('As of').fill(berlin)
  await expect.poll(() => new URL(page.url()).searchParams.get('at')).toBe(at.toISOString())
  await rows(page).filter({ hasText: 'Forklift 7' }).getByText('Dock', { exact: true }).waitFor()
  await page.getByRole('link', { name: 'On the floor' }).click()
  await page.getByText('Past', { exact: true }).waitFor()
  await page.getByText(`(${berlin.slice(11)}:00)`).waitFor()

  await member.open('/assets?at=2999-01-01T00:00:00.000Z')
  await page.getByText(/ is in the future$/).waitFor()
  await member.open('/assets?at=yesterday')
  await page.getByText('This time cannot be read').waitFor()
  await page
    .getByRole('alert')
    .getByText(/RFC3339/)
    .waitFor()
  expect(await rows(page).count()).toBe(0)
})
