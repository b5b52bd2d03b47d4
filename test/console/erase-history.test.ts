import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { historyRows, newAsset, newLocation, type Organization } from '../system/organization.ts'
import { expectAccessible } from './support/accessible.ts'
import { join } from './support/join.ts'
import { readAt } from './support/readings.ts'
import { envelope } from './support/refused.ts'
import { leave, newVisitor, signIn, test } from './support/visitor.fixture.ts'

const ERASE = '**/api/v1/assets/*/erase'
const TAG = 'E28011606000020A1B2C3D4E'
const section = (page: Page, name: string) => page.getByRole('region', { name, exact: true })
const eraseButton = (page: Page) => page.getByRole('button', { name: 'Erase history…' })

/** Seen five, four and three hours ago, at the dock, the shelf and the dock. */
async function seenThreeTimes(org: Organization) {
  await newLocation(org, 'Dock', 'DOCK-1')
  await newLocation(org, 'Shelf', 'SHELF-1')
  const asset = await newAsset(org, 'Badge 7', [{ tag_type: 'rfid', value: TAG }])
  await readAt(org, { id: asset.id, tag: TAG }, [
    { location: 'DOCK-1', hoursAgo: 5 },
    { location: 'SHELF-1', hoursAgo: 4 },
    { location: 'DOCK-1', hoursAgo: 3 },
  ])
  return asset
}

/** When the asset was seen, by the API, the newest first. */
const seenAt = async (org: Organization, assetId: number) =>
  (await historyRows(org, assetId)).map(({ event_observed_at: at }) => at)

/** An instant as the viewer in Berlin types it. */
const typed = (at: string) =>
  new Date(at).toLocaleString('sv-SE', { timeZone: 'Europe/Berlin' }).replace(' ', 'T').slice(0, 16)

/** Erases with the form as it is. Resolves with the answer of the API. */
async function erase(page: Page) {
  const answered = page.waitForResponse(ERASE)
  await page.getByRole('dialog').getByRole('button', { name: 'Erase history' }).click()
  const { data } = (await (await answered).json()) as { data: { rows: number; movements: number } }
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  return data
}

/** The locations of the stays that the page shows; the readers are links too. */
const places = (page: Page) => section(page, 'Stays').locator('a[href*="/locations/"]')

test('D22.2 an administrator erases a minute, all that is left, and then nothing', async ({
  member,
  organization,
}) => {
  const asset = await seenThreeTimes(organization)
  const [newest = '', middle = '', oldest = ''] = await seenAt(organization, asset.id)
  const { page } = member
  await member.open(`/assets/${asset.id}`)
  const stays = section(page, 'Stays')
  const dialog = page.getByRole('dialog', { name: 'Erase history of Badge 7' })
  await expect.poll(() => places(page).allTextContents()).toEqual(['Dock', 'Shelf', 'Dock'])
  await eraseButton(page).click()
  await dialog.getByText('This erases where Badge 7 was: history, sightings and movements.').waitFor()
  await dialog.getByText('This cannot be undone.').waitFor()
  await dialog.getByText('The asset itself stays, with its tags and data.').waitFor()
  await expectAccessible(page)

  const [from, to] = [dialog.getByLabel('From', { exact: true }), dialog.getByLabel('To, with this minute')]
  const submit = dialog.getByRole('button', { name: 'Erase history' })
  await dialog.getByLabel('What').selectOption('From, to')
  await submit.click()
  await expect.poll(() => dialog.getByText('Enter a day and a time.').count()).toBe(2)
  await from.fill(typed(newest))
  await submit.click()
  await expect.poll(() => dialog.getByText('Enter a day and a time.').count()).toBe(1)
  await to.fill(typed(oldest))
  await submit.click()
  await dialog.getByText('Must not be before from.').waitFor()
  expect(await to.getAttribute('aria-invalid')).toBe('true')
  await expectAccessible(page)
  expect(await seenAt(organization, asset.id)).toEqual([newest, middle, oldest])

  await from.fill(typed(middle))
  await to.fill(typed(middle))
  const once = await erase(page)
  expect(once.rows).toBe(1)
  await page.getByText(`Erased 1 row of history and ${once.movements} movement`).waitFor()
  await expect.poll(() => places(page).allTextContents()).toEqual(['Dock'])
  expect(await seenAt(organization, asset.id)).toEqual([newest, oldest])

  await eraseButton(page).click()
  const rest = await erase(page)
  expect(rest.rows).toBe(2)
  await page.getByText(`Erased 2 rows of history and ${rest.movements} movement`).waitFor()
  await stays.getByText('Never seen.').waitFor()
  await section(page, 'Current location').getByText('Never scanned').waitFor()
  expect(await seenAt(organization, asset.id)).toEqual([])

  await eraseButton(page).click()
  expect(await erase(page)).toEqual({ rows: 0, movements: 0 })
  await page.getByText('Nothing was erased: Badge 7 has no history there.').waitFor()
  await section(page, 'Tags').getByText(TAG).waitFor()
})

test('an erasure that fails says so in the dialog, erases nothing, and works again', async ({
  member,
  organization,
}) => {
  const asset = await seenThreeTimes(organization)
  const { page } = member
  await member.open(`/assets/${asset.id}`)
  await eraseButton(page).click()
  const dialog = page.getByRole('dialog')
  for (const [type, status, title] of [
    ['service_unavailable', 503, 'This does not work right now'],
    ['internal_error', 500, 'The server has a problem'],
    ['forbidden', 403, 'You may not do this'],
  ] as const) {
    await page.route(ERASE, (route) => route.fulfill(envelope(type, 'It does not answer', status)))
    await dialog.getByRole('button', { name: 'Erase history' }).click()
    await dialog.getByRole('alert').getByText(title).waitFor()
    await page.unroute(ERASE)
  }
  await expectAccessible(page)
  expect(await seenAt(organization, asset.id)).toHaveLength(3)
  expect((await erase(page)).rows).toBe(3)
  expect(await seenAt(organization, asset.id)).toEqual([])
})

test('the history of a deleted asset is erased on its page, and does not come back with it', async ({
  member,
  organization,
}) => {
  const { id } = await seenThreeTimes(organization)
  const params = { path: { asset_id: id } }
  await organization.integrator.DELETE('/api/v1/assets/{asset_id}', { params })
  const { page } = member
  await member.open(`/assets/${id}`)
  await page.getByText('This asset was deleted').waitFor()
  await eraseButton(page).click()
  await expectAccessible(page)
  expect((await erase(page)).rows).toBe(3)
  await page.getByText('Erased 3 rows of history').waitFor()
  await page.getByRole('button', { name: 'Restore' }).click()
  await section(page, 'Stays').getByText('Never seen.').waitFor()
  expect(await seenAt(organization, id)).toEqual([])
})

test('members are not offered to erase, of an asset or of a deleted one', async ({
  browser,
  organization,
}) => {
  const { id } = await seenThreeTimes(organization)
  const visitor = await newVisitor(browser)
  const { email, password } = await join(organization, 'member')
  await signIn(visitor, { email, password })
  const { page } = visitor
  await visitor.open(`/assets/${id}`)
  await page.getByRole('button', { name: 'Delete', exact: true }).waitFor()
  expect(await eraseButton(page).count()).toBe(0)
  const params = { path: { asset_id: id } }
  await organization.integrator.DELETE('/api/v1/assets/{asset_id}', { params })
  await visitor.open(`/assets/${id}`)
  await page.getByRole('button', { name: 'Restore' }).waitFor()
  expect(await eraseButton(page).count()).toBe(0)
  await leave(visitor)
})
