import { unwrap } from '@whereabouts/client/client'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import {
  historyRows,
  newAsset,
  newLocation,
  newReader,
  readerViews,
  type Organization,
  type Tag,
} from '../system/organization.ts'
import { connectReader } from '../system/readers.ts'
import { expectAccessible } from './support/accessible.ts'
import { press, tabTo } from './support/keyboard.ts'
import { leave, newVisitor, signIn, STACK, test } from './support/visitor.fixture.ts'

const section = (page: Page, name: string) => page.getByRole('region', { name, exact: true })

type Read = { tag: { type: string; value: string }; antenna: number; read_at: string; location?: string }

/** Publishes reads of the past as a reader. */
async function publish(
  org: Organization,
  readerKey: string,
  tag: Tag,
  reads: readonly { antenna: number; minutesAgo: number; location?: string }[],
): Promise<void> {
  const reader = await connectReader(STACK, org.readerKey, 'nats')
  const message: { reads: Read[] } = {
    reads: reads.map(({ minutesAgo, ...read }) => ({
      ...read,
      tag: { type: tag.tag_type, value: tag.value },
      read_at: new Date(Date.now() - minutesAgo * 60_000).toISOString(),
    })),
  }
  await reader.publish(org.id, readerKey, 'canonical', Buffer.from(JSON.stringify(message)))
  await reader.close()
}

/** Assigns an antenna of the only reader to another location. */
async function assign(org: Organization, to: { antenna: number; locationId: number }): Promise<void> {
  const [reader] = await readerViews(org)
  const path = { reader_id: reader?.id ?? 0 }
  const { data } = unwrap(
    await org.admin.GET('/api/v1/readers/{reader_id}/scan-points', { params: { path } }),
  )
  const point = data.find(({ antenna }) => antenna === to.antenna)
  const params = { path: { ...path, scan_point_id: point?.id ?? 0 } }
  const body = { location_id: to.locationId }
  unwrap(await org.admin.PATCH('/api/v1/readers/{reader_id}/scan-points/{scan_point_id}', { params, body }))
}

async function save(org: Organization, location: string, asset: string): Promise<void> {
  const body = { location_identifier: location, asset_identifiers: [asset] }
  unwrap(await org.integrator.POST('/api/v1/inventory/save', { body }))
}

/** Resolves when the history of the asset has this many rows. */
const hasRows = (org: Organization, assetId: number, count: number) =>
  expect.poll(async () => (await historyRows(org, assetId)).length, { timeout: 15_000 }).toBe(count)

/** An asset that a reader saw twice at a dock. */
async function seenAtTheDock(org: Organization) {
  const dock = await newLocation(org, 'Receiving dock', 'DOCK-1')
  const shelf = await newLocation(org, 'Shelf', 'SHELF-1')
  await newReader(org, { key: 'gate-1', format: 'canonical', locationId: dock, antennas: 2 })
  const tag: Tag = { tag_type: 'rfid', value: 'E28011606000020A1B2C3D4E' }
  const asset = await newAsset(org, 'Forklift 7', [tag])
  await publish(org, 'gate-1', tag, [
    { antenna: 1, minutesAgo: 75 },
    { antenna: 2, minutesAgo: 20 },
  ])
  await hasRows(org, asset.id, 2)
  return { asset, tag, dock, shelf }
}

test('three actions lead to the location of an asset and the reason', async ({ member, organization }) => {
  const { tag } = await seenAtTheDock(organization)
  const { page } = member
  await member.open('/')
  const menu = page.getByRole('navigation', { name: 'Main menu' })
  await menu.getByRole('link', { name: 'Assets', exact: true }).click()
  await page.getByLabel('Search').fill('3d4e')
  await page.getByRole('link', { name: 'Forklift 7' }).click()
  const where = section(page, 'Current location')
  await where.getByRole('link', { name: 'Receiving dock' }).waitFor()
  await where.getByText('20 minutes ago').first().waitFor()
  const why = section(page, 'Why it is here')
  await why
    .getByText(
      `Tag ${tag.value} was read by gate-1, antenna 2, 20 minutes ago. Scan point “antenna 2” is assigned to Receiving dock.`,
    )
    .waitFor()
  await why
    .getByText(`First seen here 1 hour ago: Read by gate-1, antenna 1; scan point “antenna 1”`)
    .waitFor()
})

test('the reason says what decided, also if the setting differs or changed since', async ({
  member,
  organization,
}) => {
  const { asset, tag, shelf } = await seenAtTheDock(organization)
  await publish(organization, 'gate-1', tag, [{ antenna: 1, minutesAgo: 5, location: 'SHELF-1' }])
  await hasRows(organization, asset.id, 3)
  const { page } = member
  await member.open(`/assets/${asset.id}`)
  const why = section(page, 'Why it is here')
  await why
    .getByText('antenna 1, 5 minutes ago. The message named the location “SHELF-1”, which is Shelf.')
    .waitFor()
  expect(await why.getByText(/scan point|Receiving dock/i).count()).toBe(0)
  const stays = section(page, 'Stays')
  await stays.getByText('antenna 1; the message named “SHELF-1”').waitFor()
  await stays.getByText('antenna 1; scan point “antenna 1”').waitFor()

  await publish(organization, 'gate-1', tag, [{ antenna: 2, minutesAgo: 2 }])
  await hasRows(organization, asset.id, 4)
  await assign(organization, { antenna: 2, locationId: shelf })
  await page.reload()
  await why
    .getByText('Scan point “antenna 2” was assigned to Receiving dock then and is assigned to Shelf now.')
    .waitFor()
  await stays.getByRole('button', { name: '1 row at Shelf' }).click()
  await page
    .getByRole('region', { name: 'Rows at Shelf' })
    .getByRole('row')
    .filter({ hasText: `antenna 1; the message named “SHELF-1”${tag.value}` })
    .waitFor()
  await page.setViewportSize({ width: 360, height: 780 })
  expect(await page.locator('html').evaluate((html) => html.scrollWidth)).toBe(360)
  await expectAccessible(page)
})

test('an asset, location, reader or import that does not exist is said to be missing, with a way to the list', async ({
  member,
}) => {
  const { page } = member
  for (const [list, name] of [
    ['assets', 'asset'],
    ['locations', 'location'],
    ['readers', 'reader'],
    ['imports', 'import'],
  ]) {
    await member.open(`/${list}/4503599627370497`)
    const alert = page.getByRole('alert')
    await alert.getByText(`There is no such ${name}`).waitFor()
    expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0)
    await alert.getByRole('link', { name: `All ${list}` }).click()
    await page.waitForURL(`**/${list}`)
  }
  await member.open('/assets/forklift')
  await page.getByRole('alert').getByText('There is no such asset').waitFor()
})

test('the stays and their rows follow the asset as it moves', async ({ member, organization }) => {
  const { asset } = await seenAtTheDock(organization)
  const { page, context } = member
  await member.open(`/assets/${asset.id}`)
  const stays = section(page, 'Stays')
  await stays.getByRole('link', { name: 'Receiving dock' }).waitFor()
  await stays.getByText('55 min').waitFor()
  await page.getByText('Connected', { exact: true }).first().waitFor()
  await save(organization, 'SHELF-1', asset.external_key)
  await section(page, 'Current location').getByRole('link', { name: 'Shelf' }).waitFor()
  await section(page, 'Why it is here').getByText('This location was saved').waitFor()
  await stays.getByText('2 stays with 3 rows').waitFor()
  await stays.getByText(/\d+ (?:s|min) so far$/).waitFor()
  await expect
    .poll(() => stays.getByRole('link').allTextContents())
    .toEqual(['Shelf', 'Receiving dock', 'gate-1'])
  const rowsAt = (location: string) =>
    page.getByRole('region', { name: `Rows at ${location}` }).getByRole('row')
  await stays.getByRole('button', { name: '1 row at Shelf' }).click()
  await rowsAt('Shelf').getByText('Saved, not read').waitFor()
  await expect.poll(() => rowsAt('Shelf').count()).toBe(2)
  await press(page, stays.getByRole('button', { name: '2 rows at Receiving dock' }))
  await rowsAt('Receiving dock').getByText('Read by gate-1, antenna 2').waitFor()
  await expect.poll(() => rowsAt('Receiving dock').count()).toBe(3)
  await expectAccessible(page)
  await page.setViewportSize({ width: 390, height: 844 })

  const hourAgo = new Date(Date.now() - 40 * 60_000 + 60 * 60_000) // the viewer is in Berlin, in winter
  await page.getByLabel('To', { exact: true }).fill(hourAgo.toISOString().slice(0, 16))
  await page.getByText('1 stay with 1 row', { exact: true }).waitFor()
  await stays.getByText('or later').waitFor()
  await page.getByRole('button', { name: 'Show all' }).click()
  await page.getByText('2 stays with 3 rows').waitFor()
  await context.setOffline(true)
  await page.getByText('You are offline').waitFor()
  await section(page, 'Current location').getByRole('link', { name: 'Shelf' }).waitFor()
  await context.setOffline(false)
})

/** A time zone in which it is past noon: a reader may send reads of a day ago, and some must be of yesterday there. */
const zoneAtNoon = () => {
  const behind = new Date().getUTCHours() - 12
  return `Etc/GMT${behind < 0 ? '' : '+'}${behind}`
}

/** Minutes since hours of today, on the clock of the viewer. Hours of yesterday are negative. */
const minutesSince = (page: Page, ...hours: number[]): Promise<number[]> =>
  page.evaluate((all) => {
    const now = new Date()
    const at = (hour: number) => new Date(now.getFullYear(), now.getMonth(), now.getDate(), hour)
    return all.map((hour) => (now.getTime() - at(hour).getTime()) / 60_000)
  }, hours)

test('the ribbon has a lane for each location of a day, and keys go through it', async ({
  browser,
  organization,
}) => {
  const visitor = await newVisitor(browser, zoneAtNoon())
  await signIn(visitor, organization.login)
  const { page } = visitor
  const hall = await newLocation(organization, 'Hall', 'HALL')
  const dock = { name: 'Dock', external_key: 'DOCK-1', parent_id: hall }
  unwrap(await organization.integrator.POST('/api/v1/locations', { body: dock }))
  await newLocation(organization, 'Yard', 'YARD')
  const tag: Tag = { tag_type: 'rfid', value: 'E28011606000020A1B2C3D4E' }
  const asset = await newAsset(organization, 'Forklift 7', [tag])
  const params = { path: { asset_id: asset.id } }
  const body = { metadata: { maker: 'Linde', load: { kg: 1600 } } }
  unwrap(await organization.integrator.PATCH('/api/v1/assets/{asset_id}', { params, body }))
  await newReader(organization, { key: 'gate-1', format: 'canonical', locationId: hall, antennas: 1 })
  const [late = 0, night = 0, morning = 0] = await minutesSince(page, -2, 3, 9)
  await publish(organization, 'gate-1', tag, [
    { antenna: 1, minutesAgo: late, location: 'DOCK-1' },
    { antenna: 1, minutesAgo: night, location: 'YARD' },
    { antenna: 1, minutesAgo: morning, location: 'DOCK-1' },
  ])
  await hasRows(organization, asset.id, 3)
  await visitor.open(`/assets/${asset.id}`)
  await section(page, 'Current location').getByRole('link', { name: 'Hall' }).waitFor()
  const day = section(page, 'Day')
  const lanes = day.getByRole('listitem')
  const ribbon = day.getByRole('slider', { name: 'Times of the day' })
  const said = () => ribbon.getAttribute('aria-valuetext')
  await lanes.getByText('Yard').waitFor()
  await expect.poll(() => lanes.allTextContents()).toEqual(['Dock', 'Yard'])
  await tabTo(page, ribbon)
  expect(await said()).toMatch(/^Dock, 09:00:\d\d – now, (3|4) h.*, last seen 09:00:\d\d\. Read by gate-1/)
  await page.keyboard.press('ArrowLeft')
  expect(await said()).toMatch(/^Yard, 03:00:\d\d – 09:00:\d\d, 6 h, last seen 03:00:\d\d\. .*“YARD”$/)
  await page.keyboard.press('ArrowLeft')
  expect(await said()).toMatch(/^Dock, \d+ \w+ \d{4}, 22:00 or earlier – 03:00:\d\d, 3 h of this day/)
  await page.keyboard.press('End')
  expect(await said()).toContain('Dock, 09:00')
  await page.locator('.day-lanes > :nth-child(2) span').first().hover()
  await day.getByText(/^Yard, 03:00:\d\d – 09:00:\d\d, 6 h/).waitFor()
  await expect.poll(() => day.getByRole('button', { name: 'Next day' }).isDisabled()).toBe(true)

  const data = section(page, 'Data')
  await data.getByText('Linde', { exact: true }).waitFor()
  await data.getByText('{"kg":1600}', { exact: true }).waitFor()
  await data.getByRole('switch', { name: 'As JSON' }).click()
  await data.getByText('"maker": "Linde"').waitFor()
  await expectAccessible(page)

  await day.getByRole('button', { name: 'Previous day' }).click()
  await page.waitForURL(/day=\d{4}-\d\d-\d\d/)
  await page.reload()
  await ribbon.waitFor()
  expect(await said()).toMatch(/^Dock, 22:00:\d\d – \d+ \w+ \d{4}, 03:00, (2 h|1 h 59 min) of this day/)
  await day.getByRole('button', { name: 'Previous day' }).click()
  await day.getByText('Not seen on this day or before.').waitFor()
  await day.getByRole('button', { name: 'Next day' }).click()
  await day.getByRole('button', { name: 'Next day' }).click()
  await page.waitForURL((url) => !url.searchParams.has('day'))
  await leave(visitor)
})

test('data is changed and cleared, the key is renamed; a taken key is refused', async ({
  member,
  organization,
}) => {
  const asset = await newAsset(organization, 'Forklift 7', [])
  await newAsset(organization, 'Another', [])
  const { page } = member
  await member.open(`/assets/${asset.id}`)
  await section(page, 'Current location').getByText('Never scanned').waitFor()
  await page.getByRole('button', { name: 'Edit' }).click()
  const form = page.getByRole('dialog')
  await form.getByLabel('Name').fill('Forklift 8')
  await form.getByLabel('Description').fill('Reach truck')
  await form.getByLabel('Valid to').fill('2020-01-01T10:00')
  await form.getByRole('button', { name: 'Save' }).click()
  await form.getByText('Must be later than “Valid from”.').waitFor()
  await form.locator('input:focus').and(form.getByLabel('Valid to')).waitFor()
  await form.getByLabel('Valid to').fill('')
  // A concurrent change stays, because only changed fields are sent.
  const path = { asset_id: asset.id }
  unwrap(
    await organization.integrator.PATCH('/api/v1/assets/{asset_id}', {
      params: { path },
      body: { type: 'inventory' },
    }),
  )
  await form.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('heading', { name: 'Forklift 8', level: 1 }).waitFor()
  await section(page, 'Data').getByText('Reach truck').waitFor()
  await section(page, 'Data').getByText('Inventory').waitFor()

  await page.getByRole('button', { name: 'Edit' }).click()
  await form.getByLabel('Description').fill('')
  await form.getByRole('button', { name: 'Save' }).click()
  await section(page, 'Data').getByText('Reach truck').waitFor({ state: 'detached' })

  await page.getByRole('button', { name: 'Change key' }).click()
  await form.getByLabel('External key').fill('ASSET-0002')
  await form.getByRole('button', { name: 'Change' }).click()
  await form.getByRole('alert').getByText('Asset ASSET-0002 already exists').waitFor()
  await form.getByLabel('External key').fill('FORKLIFT-8')
  await form.getByRole('button', { name: 'Change' }).click()
  await section(page, 'Data').getByText('FORKLIFT-8').waitFor()
})

test('tags are attached and detached, and the asset is deleted; both can be undone', async ({
  member,
  organization,
}) => {
  const asset = await newAsset(organization, 'Forklift 7', [])
  await newAsset(organization, 'Another', [{ tag_type: 'rfid', value: 'E2801' }])
  const { page } = member
  await member.open(`/assets/${asset.id}`)
  const tags = section(page, 'Tags')
  await tags.getByText('No tags yet').waitFor()
  await tags.getByRole('button', { name: 'Attach tag' }).click()
  const form = page.getByRole('dialog')
  await expect.poll(() => form.getByRole('combobox', { name: 'Type' }).inputValue()).toBe('RFID')
  await form.getByRole('textbox', { name: 'Value' }).fill('E2801')
  await form.getByRole('button', { name: 'Attach' }).click()
  await form.getByRole('alert').getByText('Tag rfid:E2801 already exists').waitFor()
  await form.getByRole('textbox', { name: 'Value' }).fill('E2802')
  await form.getByRole('button', { name: 'Attach' }).click()
  await tags.getByText('RFID', { exact: true }).waitFor()
  await tags.getByRole('button', { name: 'Detach E2802' }).click()
  await form.getByRole('button', { name: 'Detach' }).click()
  await tags.getByText('No tags yet').waitFor()

  await page.getByRole('button', { name: 'Undo' }).click()
  await tags.getByRole('button', { name: 'Detach E2802' }).waitFor()

  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  await form.getByText('You can restore it at any time.').waitFor()
  await form.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('heading', { name: 'Assets', level: 1 }).waitFor()
  await page.getByRole('link', { name: 'Another' }).waitFor()
  expect(await page.getByRole('link', { name: 'Forklift 7' }).count()).toBe(0)
  await page.getByText('Deleted Forklift 7.').waitFor()
  await expectAccessible(page)
  await press(page, page.getByRole('button', { name: 'Undo' }))
  await page.getByText('Forklift 7 restored.').waitFor()
  await page.getByRole('link', { name: 'Forklift 7' }).click()
  await tags.getByRole('button', { name: 'Detach E2802' }).waitFor()
  await member.open('/assets/4711')
  await page.getByRole('alert').getByText('There is no such asset').waitFor()
})

test('a deletion that cannot be undone as it was leads to the page of the asset', async ({
  member,
  organization,
}) => {
  const body = { external_key: 'KEY', name: 'Forklift 7' }
  const { id } = unwrap(await organization.integrator.POST('/api/v1/assets', { body })).data
  const { page } = member
  await member.open(`/assets/${id}`)
  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await page.getByText('Deleted Forklift 7.').waitFor()
  unwrap(await organization.integrator.POST('/api/v1/assets', { body: { ...body, name: 'Other' } }))
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByText('The external key KEY belongs to the asset “Other” now.').waitFor()
  await page.getByRole('button', { name: 'Open Forklift 7' }).click()
  await page.getByRole('textbox', { name: 'New external key' }).fill('KEY-2')
  await page.getByRole('button', { name: 'Restore' }).click()
  await page.getByRole('heading', { name: 'Forklift 7', level: 1 }).waitFor()
})
