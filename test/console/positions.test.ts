import { unwrap } from '@whereabouts/client/client'
import { expect } from 'vitest'
import { newAsset, newLocation, newReader, type Organization, reportRows } from '../system/organization.ts'
import { connectReader } from '../system/readers.ts'
import { expectAccessible } from './support/accessible.ts'
import { join } from './support/join.ts'
import { envelope } from './support/refused.ts'
import { newVisitor, signIn, STACK, test } from './support/visitor.fixture.ts'

const MINUTE_MS = 60_000
const PREVIEW = '**/api/v1/orgs/*/placement/preview'

const placementOf = async ({ id, admin }: Organization) =>
  unwrap(await admin.GET('/api/v1/orgs/{org_id}/placement', { params: { path: { org_id: id } } })).data

/** A beacon between two gateways, heard by one and the other, minute by minute. Resolves when it is reported. */
async function betweenTwoRooms(organization: Organization): Promise<void> {
  const rooms = ['ROOM-1', 'ROOM-2']
  for (const [i, key] of rooms.entries()) {
    const locationId = await newLocation(organization, `Room ${i + 1}`, key)
    await newReader(organization, { key: `gateway-${i + 1}`, format: 'canonical', locationId, antennas: 1 })
  }
  await newAsset(organization, 'Infusion pump', [{ tag_type: 'ble', value: 'AC233F000001' }])
  const link = await connectReader(STACK, organization.readerKey, 'nats')
  for (let i = 0; i < 8; i += 1) {
    const read = {
      tag: { type: 'ble', value: 'AC233F000001' },
      antenna: 1,
      rssi: -60 - (i % 2),
      read_at: new Date(Date.now() - (9 - i) * MINUTE_MS).toISOString(),
    }
    const bytes = Buffer.from(JSON.stringify({ reads: [read] }))
    await link.publish(organization.id, `gateway-${(i % 2) + 1}`, 'canonical', bytes)
    const seen = async () => (await reportRows(organization))[0]?.asset_last_seen
    await expect.poll(seen, { timeout: 10_000, interval: 50 }).toBe(read.read_at)
  }
  await link.close()
}

test('an asset that jumps is listed; what helps is filled in, previewed and saved', async ({
  member,
  organization,
}) => {
  await betweenTwoRooms(organization)
  const { page } = member
  await member.open('/')
  const attention = page.getByRole('region', { name: 'Needs attention' })
  await attention.getByRole('link', { name: '1 unsteady asset' }).click()
  await page.waitForURL('**/positions')
  const row = page.getByRole('row', { name: /Infusion pump/ })
  await row.getByText('Moved between Room 1 and Room 2 7 times in 24 hours.').waitFor()
  await row.getByText('margin 6 dB, delay 120 s').waitFor()
  await page.getByText('Change a value to compare it with now.').waitFor()
  expect(await page.getByRole('button', { name: 'Preview' }).isDisabled()).toBe(true)
  expect(await page.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true)

  await row.getByRole('button', { name: 'Fill in what helps Infusion pump' }).click()
  await page.getByText('The values that would have helped Infusion pump are filled in').waitFor()
  expect(await page.getByLabel('Margin, in dB').inputValue()).toBe('6')
  expect(await page.getByLabel('Delay, in seconds').inputValue()).toBe('120')
  expect(await placementOf(organization)).toMatchObject({ margin_db: 0, exit_delay_seconds: 0 })

  const preview = page.getByRole('region', { name: 'Preview' })
  await preview.getByRole('button', { name: 'Preview' }).click()
  await preview.getByText(/^8 movements as now, 1 movement with these values, since/).waitFor()
  await preview.getByRole('row', { name: /Infusion pump 8 1/ }).waitFor()
  await expectAccessible(page)
  await page.getByLabel('Margin, in dB').fill('7')
  await preview.getByText('The values have changed since the last preview.').waitFor()
  await page.getByLabel('Margin, in dB').fill('41')
  await preview.getByText('A value of the form is not valid yet.').waitFor()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Enter a whole number from 0 to 40.').waitFor()
  await page.getByLabel('Margin, in dB').fill('6')

  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Saved. It counts for reads from now on.').waitFor()
  expect(await placementOf(organization)).toMatchObject({ margin_db: 6, exit_delay_seconds: 120 })
  await row.getByText('margin 6 dB, delay 120 s (set now)').waitFor()
  await expect.poll(() => row.getByRole('button').count()).toBe(0)
})

test('presets add up, a minimum is negative, and only what changed is sent', async ({
  member,
  organization,
}) => {
  const { page } = member
  await member.open('/positions')
  await page.getByText('No asset jumps or waits').waitFor()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Fill in for Rooms with Bluetooth gateways' }).click()
  await page.getByRole('button', { name: 'Fill in for Gates and portals' }).click()
  await page.getByLabel('Minimum strength, in dBm').fill('-85')
  await page.getByLabel('Delay, in seconds').fill('300')
  const path = { org_id: organization.id }
  // Another administrator changes another field meanwhile.
  await organization.admin.PATCH('/api/v1/orgs/{org_id}/placement', {
    params: { path },
    body: { tag_types: ['rfid', 'ble'] },
  })
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Saved. It counts for reads from now on.').waitFor()
  expect(await placementOf(organization)).toEqual({
    passages: 'carry',
    tag_types: ['rfid', 'ble'],
    margin_db: 6,
    exit_delay_seconds: 300,
    min_rssi_dbm: -85,
  })
  await expect.poll(() => page.getByRole('checkbox', { name: 'RFID' }).isChecked()).toBe(true)
  await page.getByRole('button', { name: 'Fill in for Handhelds only' }).click()
  await page.getByRole('button', { name: 'Save' }).click()
  await expect
    .poll(() => placementOf(organization))
    .toMatchObject({ passages: 'next_observation', margin_db: 0, exit_delay_seconds: 0, min_rssi_dbm: null })
})

test('a preview that is refused says what to do, and works again', async ({ member }) => {
  const { page } = member
  await member.open('/positions')
  await page.getByRole('button', { name: 'Fill in for Gates and portals' }).click()
  const preview = page.getByRole('region', { name: 'Preview' })
  for (const [type, status, title] of [
    ['rate_limited', 429, 'Too many requests'],
    ['service_unavailable', 503, 'This does not work right now'],
  ] as const) {
    await page.route(PREVIEW, (route) => route.fulfill(envelope(type, 'Other previews are running', status)))
    await preview.getByRole('button', { name: 'Preview' }).click()
    await preview.getByRole('alert').getByText(title).waitFor()
    await page.unroute(PREVIEW)
  }
  await preview.getByRole('button', { name: 'Try again' }).click()
  await preview.getByText('No messages of readers came in the last 24 hours.').waitFor()
  await expect.poll(() => preview.getByRole('alert').count()).toBe(0)
})

test('members see the settings and what is unsteady, and cannot change them', async ({
  browser,
  organization,
}) => {
  const path = { org_id: organization.id }
  await organization.admin.PATCH('/api/v1/orgs/{org_id}/placement', {
    params: { path },
    body: { margin_db: 9 },
  })
  const visitor = await newVisitor(browser)
  const { email, password } = await join(organization, 'member')
  await signIn(visitor, { email, password })
  const { page } = visitor
  await visitor.open('/positions')
  await page.getByText('Only administrators can change these settings.').waitFor()
  expect(await page.getByLabel('Margin, in dB').inputValue()).toBe('9')
  expect(await page.getByLabel('Margin, in dB').isDisabled()).toBe(true)
  expect(await page.getByRole('button', { name: /^(?:Save|Preview|Fill in.*)$/ }).count()).toBe(0)
  await expectAccessible(page)
  await visitor.context.close()
  expect(visitor.problems).toEqual([])
})

test('the page of an asset says where it was read last, and the setting that helps', async ({
  member,
  organization,
}) => {
  const { page } = member
  for (const n of [1, 2]) await newLocation(organization, `Gate ${n}`, `GATE-${n}`)
  const asset = await newAsset(organization, 'Cage', [{ tag_type: 'rfid', value: 'E28011AA' }])
  const minute = Math.floor(Date.now() / MINUTE_MS - 3) * MINUTE_MS
  const reads = [1, 2].map((n) => ({
    tag: { type: 'rfid', value: 'E28011AA' },
    location: `GATE-${n}`,
    read_at: new Date(minute + n * 10_000).toISOString(),
  }))
  const link = await connectReader(STACK, organization.readerKey, 'nats')
  await link.publish(organization.id, 'portal', 'canonical', Buffer.from(JSON.stringify({ reads })))
  await link.close()
  await expect.poll(async () => (await reportRows(organization)).length, { timeout: 10_000 }).toBe(1)
  await member.open(`/assets/${asset.id}`)
  const waits = page.getByText(/^Last read at Gate 2 at \d\d:\d\d:20\. It waits for the next observation\./)
  await waits.waitFor()
  await expectAccessible(page)
  await waits.getByRole('link', { name: 'Positions' }).click()
  await page.getByRole('button', { name: 'Fill in for Gates and portals' }).click()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Saved. It counts for reads from now on.').waitFor()
  await page.goBack()
  await page.getByText(/It was read by|Tag E28011AA was read by portal/).waitFor()
  await page.getByText(/The read is carried from \d\d:\d\d:20, because/).waitFor()
  await expect.poll(() => page.getByText(/^Last read at/).count()).toBe(0)
})

test('the guide asks how readers stand, and sets it in one request', async ({ member, organization }) => {
  const { page } = member
  const locationId = await newLocation(organization, 'Room 1', 'ROOM-1')
  await newReader(organization, { key: 'gateway', format: 'canonical', locationId, antennas: 1 })
  await newAsset(organization, 'Infusion pump', [{ tag_type: 'ble', value: 'AC233F000001' }])
  await member.open('/start')
  const question = page.getByRole('group', { name: 'How do your readers stand?' })
  await question.waitFor()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Skip' }).click()
  await page.getByText('You can set later how positions are decided').waitFor()
  expect(await placementOf(organization)).toMatchObject({ passages: 'next_observation', margin_db: 0 })
  await page.reload()
  await question.getByRole('checkbox', { name: 'Rooms with Bluetooth gateways' }).check()
  await question.getByRole('checkbox', { name: 'Gates and portals' }).check()
  await question.getByRole('checkbox', { name: 'Handhelds' }).check()
  await page.getByRole('button', { name: 'Save answer' }).click()
  await page.getByText('How positions are decided is set').waitFor()
  expect(await placementOf(organization)).toMatchObject({
    passages: 'carry',
    margin_db: 6,
    exit_delay_seconds: 120,
  })
})

test('a scan point has a minimum strength and an offset, which an undone deletion keeps', async ({
  member,
  organization,
}) => {
  const { page } = member
  const locationId = await newLocation(organization, 'Room 1', 'ROOM-1')
  const id = await newReader(organization, { key: 'gateway', format: 'canonical', locationId, antennas: 1 })
  await member.open(`/readers/${id}`)
  await page.getByRole('button', { name: 'Edit antenna 1' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Minimum strength, in dBm').fill('-80')
  await dialog.getByLabel('Offset, in dB').fill('-41')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.getByText('Enter a whole number from −40 to 40.').waitFor()
  await dialog.getByLabel('Offset, in dB').fill('-6')
  await dialog.getByRole('button', { name: 'Save' }).click()
  const row = page.getByRole('row', { name: /antenna 1 Room 1 at least −80 dBm, 6 dB taken off/ })
  await row.waitFor()
  await expectAccessible(page)
  await row.getByRole('button', { name: 'Delete antenna 1' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('button', { name: 'Undo: restore antenna 1' }).click()
  await row.waitFor()
})
