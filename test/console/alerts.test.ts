import type { Page } from 'playwright-core'
import { unwrap } from '@whereabouts/client/client'
import { expect } from 'vitest'
import { newReader } from '../system/organization.ts'
import { expectAccessible } from './support/accessible.ts'
import { guarded, raised } from './support/alerts.ts'
import { join } from './support/join.ts'
import { isLive } from './support/tabs.ts'
import { leave, newVisitor, signIn, test } from './support/visitor.fixture.ts'

const bell = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const row = (page: Page, name: string) => page.getByRole('row', { name: new RegExp(name) })

test('the bell counts alerts one after the other, without a reload, and in another tab; what is over leaves it', async ({
  member,
  organization,
}) => {
  const { page, context } = member
  const { enter, move } = await guarded(organization)
  await member.open('/')
  await bell(page, 'No alerts').waitFor()
  await isLive(page)
  const other = await context.newPage()
  await other.goto('/members')
  await bell(other, 'No alerts').waitFor()

  const crane = await enter('Crane')
  await bell(page, '1 alert, Warning').waitFor()
  await enter('Forklift')
  await bell(page, '2 alerts, worst: Warning').waitFor()
  await enter('Pallet')
  await bell(page, '3 alerts, worst: Warning').waitFor()
  await bell(other, '3 alerts, worst: Warning').waitFor()

  await bell(page, '3 alerts, worst: Warning').click()
  const newest = page.getByRole('dialog', { name: 'Newest alerts' })
  expect(await newest.getByRole('listitem').allInnerTexts()).toEqual([
    expect.stringContaining('Pallet'),
    expect.stringContaining('Forklift'),
    expect.stringContaining('Crane'),
  ])
  await expectAccessible(page)
  await newest.getByRole('button', { name: 'Acknowledge At the gate: Pallet' }).click()
  await bell(page, '2 alerts, worst: Warning').waitFor()
  await newest.getByText('Pallet').waitFor({ state: 'detached' })
  await bell(other, '2 alerts, worst: Warning').waitFor()

  await move(crane, 'yard')
  await bell(page, '1 alert, Warning').waitFor()
  await newest.getByRole('link', { name: 'All alerts' }).click()
  await page.getByRole('heading', { name: 'Alerts', level: 1 }).waitFor()
  await row(page, 'Forklift').waitFor()
  expect(await row(page, 'Crane').count()).toBe(0)
})

test('a number that may not be true any more says so', async ({ member, organization }) => {
  const { page, context } = member
  await raised(organization, 'Crane', { severity: 'critical' })
  await member.open('/members')
  await bell(page, '1 alert, Critical').waitFor()
  await context.setOffline(true)
  await bell(page, '1 alert, Critical, may be out of date').click()
  await page.getByText('This may be out of date.').waitFor()
  await page.keyboard.press('Escape')
  await context.setOffline(false)
  await bell(page, '1 alert, Critical').waitFor()
})

test('alerts are filtered, and acknowledged one by one and several at once', async ({
  member,
  organization,
}) => {
  const { page } = member
  await member.open('/alerts')
  await page.getByText('No open alerts').waitFor()
  expect(await page.getByRole('link', { name: 'New rule' }).getAttribute('href')).toBe('/rules/new')
  await expectAccessible(page)
  const { enter, rule } = await guarded(organization)
  for (const name of ['Crane', 'Forklift', 'Pallet']) await enter(name)
  await raised(organization, 'Truck', { name: 'At the exit', severity: 'critical' })
  await row(page, 'Truck').waitFor()
  await expectAccessible(page)

  await page.getByLabel('Severity').selectOption('critical')
  await row(page, 'Crane').waitFor({ state: 'detached' })
  await member.open(`/alerts?rule=${rule.id}`)
  await row(page, 'Crane').getByRole('button', { name: 'Acknowledge At the gate: Crane' }).click()
  await row(page, 'Crane').getByText('Acknowledged', { exact: true }).waitFor()
  await row(page, 'Crane').getByText('Ada').waitFor()
  expect(await row(page, 'Truck').count()).toBe(0)

  await page.getByRole('button', { name: 'Select this page' }).click()
  await page.getByText('2 alerts selected').waitFor()
  await page.getByRole('button', { name: 'Acknowledge selected' }).click()
  await expect.poll(() => page.getByRole('cell', { name: 'Acknowledged', exact: true }).count()).toBe(3)
  await page.getByLabel('State').selectOption('Raised')
  await page.waitForURL(/state=raised/)
  await page.getByText('No matching alerts').waitFor()
})

test('an alert says what happened to it in words, and plays back where its asset was', async ({
  member,
  organization,
}) => {
  const { page } = member
  const { alertId, assetId, gateName, yardName, move } = await raised(organization, 'Crane')
  await member.open(`/alerts/${alertId}`)
  const history = page.getByRole('list', { name: 'History' })
  await history.getByText('Still open').waitFor()
  await page.getByLabel('Note').fill('On my way')
  await page.getByRole('button', { name: 'Acknowledge with this note' }).click()
  await history.getByText(/Acknowledged by Ada/).waitFor()
  await history.getByText('“On my way”').waitFor()
  await expectAccessible(page)

  const film = page.getByRole('region', { name: 'Where it was' })
  const place = (name: string) => film.getByText(`In ${name}`, { exact: true })
  await film.getByRole('button', { name: 'When it was raised' }).click()
  await place(gateName).waitFor()
  await film.getByRole('button', { name: `${gateName} 1 asset` }).waitFor()
  await film.getByRole('slider', { name: 'Instant' }).press('Home')
  await film.getByText('Not seen yet').waitFor()
  await film.getByRole('button', { name: 'Next movement' }).click()
  await film.getByText(/^In /).waitFor()

  const asset = unwrap(
    await organization.admin.GET('/api/v1/assets/{asset_id}', { params: { path: { asset_id: assetId } } }),
  ).data
  await move(asset, 'yard')
  await history.getByText('Its condition does not hold any more.').waitFor()
  await film.getByRole('slider', { name: 'Instant' }).press('End')
  await place(yardName).waitFor()
  expect(await page.getByLabel('Note').count()).toBe(0)

  await member.open('/alerts/999999999999')
  await page.getByText('There is no such alert').waitFor()
})

test('open alerts are on the page of the asset and of the location, and on the floor, until they are over', async ({
  member,
  organization,
}) => {
  const { page } = member
  const { assetId, gateId, gateName, enter } = await raised(organization, 'Crane', { severity: 'critical' })
  const panel = page.getByRole('region', { name: 'Open alerts' })
  await member.open(`/locations/${gateId}`)
  await panel.getByRole('link', { name: 'At the gate' }).waitFor()
  await expectAccessible(page)
  await member.open(`/assets/${assetId}`)
  await panel.getByText('Critical').waitFor()
  await panel.getByRole('button', { name: /^Acknowledge/ }).click()
  await panel.getByText(/acknowledged/).waitFor()
  await expectAccessible(page)

  await member.open('/floor')
  await page.getByRole('link', { name: `${gateName}: 1 open alert, Critical` }).waitFor()
  await enter('Forklift')
  const mark = page.getByRole('link', { name: `${gateName}: 2 open alerts, worst: Critical` })
  await mark.waitFor()
  await expectAccessible(page)
  await mark.click()
  await page.waitForURL(`**/alerts?location=${gateId}`)
  await row(page, 'Crane').waitFor()
  await row(page, 'Forklift').waitFor()
})

test('where there is nothing to play, the page says why: a reader, and a history that has expired', async ({
  member,
  organization,
}) => {
  const { page } = member
  const { alertId, assetId, gateId } = await raised(organization, 'Crane')
  const readerId = await newReader(organization, {
    key: 'portal',
    format: 'canonical',
    locationId: gateId,
    antennas: 1,
  })
  const film = page.getByRole('region', { name: 'Where it was' })
  await page.route('**/api/v1/movements?*', (route) =>
    route.fulfill({ json: { data: [], cursor: null, has_more: false } }),
  )
  await page.route('**/sightings?*', (route) =>
    route.fulfill({ json: { data: [], limit: 1, offset: 0, total_count: 0 } }),
  )
  await member.open(`/alerts/${alertId}`)
  await film.getByText(/the history of this time has expired/).waitFor()
  await page.route(`**/api/v1/alerts/${alertId}`, async (route) => {
    const response = await route.fetch()
    const { data } = (await response.json()) as { data: object }
    const subject = { type: 'reader', id: readerId, reader_key: 'portal', name: 'portal' }
    await route.fulfill({ response, json: { data: { ...data, subject } } })
  })
  await page.reload()
  await film.getByText(/readers do not move/).waitFor()
  // Silence takes longer than a test: the alert of the asset is shown as one of the reader.
  await page.route(`**/api/v1/alerts?*reader_id=${readerId}*`, (route) =>
    route.continue({ url: route.request().url().replace(`reader_id=${readerId}`, `asset_id=${assetId}`) }),
  )
  await page.getByRole('link', { name: 'portal' }).click()
  const panel = page.getByRole('region', { name: 'Open alerts' })
  await panel.getByRole('link', { name: 'At the gate' }).waitFor()
  expect(await panel.getByRole('link', { name: 'As a list' }).getAttribute('href')).toBe(
    `/alerts?reader=${readerId}`,
  )
})

test('D15.3 a viewer sees alerts and cannot acknowledge them', async ({ organization, browser }) => {
  const { alertId } = await raised(organization, 'Crane')
  const { email, password } = await join(organization, 'viewer')
  const viewer = await newVisitor(browser)
  await signIn(viewer, { email, password })
  const { page } = viewer
  await viewer.open('/alerts')
  await row(page, 'Crane').waitFor()
  await bell(page, '1 alert, Warning').click()
  await page.getByRole('dialog', { name: 'Newest alerts' }).getByText('Crane').waitFor()
  expect(await page.getByRole('button', { name: /Acknowledge|Select/ }).count()).toBe(0)
  expect(await page.getByRole('checkbox').count()).toBe(0)
  await viewer.open(`/alerts/${alertId}`)
  await page.getByText('Still open').waitFor()
  expect(await page.getByLabel('Note').count()).toBe(0)
  await leave(viewer)
})
