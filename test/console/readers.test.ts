import { expect, vi } from 'vitest'
import { newAsset, newLocation, newReader, type Organization, readerViews } from '../system/organization.ts'
import { connectReader } from '../system/readers.ts'
import { expectAccessible } from './support/accessible.ts'
import { STACK, test } from './support/visitor.fixture.ts'

async function publish({ id, readerKey }: Organization, reader: string, format: string, message: object) {
  const link = await connectReader(STACK, readerKey, 'mqtt')
  await link.publish(id, reader, format, Buffer.from(JSON.stringify(message)))
  await link.close()
}

/** The console polls every ten seconds: tests open it when the data is there. */
const heard = (organization: Organization, ...keys: string[]) =>
  vi.waitFor(
    async () => {
      const readers = await readerViews(organization)
      const known = readers.filter(({ health }) => health.reads > 0).map(({ reader_key }) => reader_key)
      expect(known).toEqual(expect.arrayContaining(keys))
    },
    { timeout: 15_000, interval: 100 },
  )

const degraded = (organization: Organization, key: string) =>
  expect
    .poll(
      async () => (await readerViews(organization)).find((one) => one.reader_key === key)?.health.status,
      {
        timeout: 15_000,
        interval: 100,
      },
    )
    .toBe('degraded')

const readOf = (value: string, antenna = 1) => ({ reads: [{ tag: { type: 'rfid', value }, antenna }] })

test('a reader that is not set up and not understood is degraded, and its set-up shows the message', async ({
  member,
  organization,
}) => {
  const { page } = member
  await publish(organization, 'gate-8', 'canonical', { dev: 'gate-8', nothing: true })
  await degraded(organization, 'gate-8')
  await member.open('/readers')
  const row = page.getByRole('row', { name: /gate-8/ })
  await row.getByText('Degraded').waitFor()
  await row.getByRole('button', { name: 'Set up gate-8' }).click()
  const dialog = page.getByRole('dialog', { name: 'Set up gate-8' })
  await dialog.getByText('Last problem').waitFor()
  await dialog.getByRole('region', { name: 'Message' }).getByText('"nothing":true').waitFor()
  await expectAccessible(page)
})

test('an unconfigured reader appears with its first message and can be configured', async ({
  member,
  organization,
}) => {
  const { page } = member
  const dock = await newLocation(organization, 'Dock 1', 'DOCK-1')
  await newReader(organization, { key: 'dock-1', format: 'canonical', locationId: dock, antennas: 2 })
  await newReader(organization, { key: 'silent-1', format: 'canonical', locationId: dock, antennas: 1 })
  await publish(organization, 'gate-7', 'canonical', readOf('E200AA'))
  await publish(organization, 'dock-1', 'canonical', readOf('E200BB'))
  for (let i = 0; i < 5; i += 1) await publish(organization, 'dock-1', 'canonical', { nothing: i })
  await heard(organization, 'gate-7', 'dock-1')
  await degraded(organization, 'dock-1')
  await member.open('/readers')
  await page
    .getByRole('row', { name: /silent-1/ })
    .getByText('No messages yet')
    .waitFor()
  const known = page.getByRole('row', { name: /dock-1/ })
  const found = page.getByRole('row', { name: /gate-7/ })
  await found.getByText('Discovered').waitFor()
  await found.getByText('1 read of an unknown tag').waitFor()
  await found.getByText('Online').waitFor()
  await known.getByText('Degraded').waitFor()
  await known.getByText('5 of 6 messages in the last hour').waitFor()
  await known.getByRole('img', { name: '1 read in 24 hours. Busiest hour: 1' }).waitFor()
  await expectAccessible(page)
  await known.getByRole('link', { name: 'dock-1' }).click()
  const messages = page.getByRole('region', { name: 'Last 20 messages with problems' })
  await messages.getByText('{"nothing":4}').waitFor()
  const hours = page.getByRole('region', { name: 'Health, 30 days' })
  await hours.getByRole('img', { name: 'Reads by hour: 1 read in 30 days. 1 hour with problems' }).waitFor()
  await hours.getByText('Show as table').click()
  await hours.getByRole('row', { name: /6 5 1 –$/ }).waitFor()
  await expectAccessible(page)
  await page.goBack()
  await page.getByRole('button', { name: 'Set up gate-7' }).click()
  await expect.poll(() => page.getByLabel('Reader key').inputValue()).toBe('gate-7')
  await page.getByLabel('Name').fill('Gate 7')
  await page.getByRole('button', { name: 'Set up reader' }).click()
  await page.getByRole('heading', { name: 'Gate 7', level: 1 }).waitFor()
  await page.getByRole('row', { name: /^Reads of unknown tags 1/ }).waitFor()
  await expectAccessible(page)
})

test('a reader is added, gets a scan point, is connected, changed and removed', async ({
  member,
  organization,
}) => {
  const { page } = member
  await newLocation(organization, 'Dock 1', 'DOCK-1')
  await member.open('/readers')
  await page.getByText('No readers yet').waitFor()
  await page.getByRole('button', { name: 'Add reader' }).first().click()
  await page.getByLabel('Reader key').fill('dock 1')
  await page.getByRole('textbox', { name: 'Name' }).fill('Dock reader')
  await page.getByRole('combobox', { name: 'Kind of reader' }).click()
  await page.getByRole('option', { name: /Zebra/ }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Add reader' }).click()
  await page.getByText('Use only letters, digits and hyphens').waitFor()
  expect(await page.getByLabel('Reader key').getAttribute('aria-invalid')).toBe('true')
  await page.getByLabel('Reader key').fill('dock-1')
  await page.getByRole('dialog').getByRole('button', { name: 'Add reader' }).click()
  await page.getByRole('heading', { name: 'Dock reader', level: 1 }).waitFor()

  await page.getByText('No scan points yet').waitFor()
  await page.getByRole('button', { name: 'Add scan point' }).click()
  await page.getByRole('combobox', { name: 'Location' }).click()
  await page.getByRole('option', { name: /Dock 1/ }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Add scan point' }).click()
  const point = page.getByRole('row', { name: /Antenna 1 Dock 1/ })
  await point.waitFor()
  await page.getByRole('button', { name: 'Add scan point' }).click()
  await page.getByRole('textbox', { name: 'Antenna', exact: true }).fill('1')
  await page.getByRole('dialog').getByRole('button', { name: 'Add scan point' }).click()
  const refused = page.getByRole('dialog').getByRole('alert')
  await refused.getByText('Antenna 1 of this reader already has a scan point').waitFor()
  await refused.getByText(/Request/).waitFor()
  await page.getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('button', { name: 'Discard' }).click()

  await expect
    .poll(() => page.getByLabel('MQTT topic', { exact: true }).inputValue())
    .toBe(`scans/${organization.id}/dock-1/zebra`)
  await expect
    .poll(() => page.getByLabel('Sled topic', { exact: true }).inputValue())
    .toBe(`${organization.id}/dock-1/zebra`)
  await expect.poll(() => page.getByLabel('MQTT broker', { exact: true }).inputValue()).toBe(STACK.urls.mqtt)
  const guide = page.getByRole('link', { name: 'All settings of this device, in the guide' })
  expect(await guide.getAttribute('href')).toBe('/docs/readers/zebra')
  await expectAccessible(page)

  await page.getByRole('textbox', { name: 'Name' }).fill('Northern dock')
  await page.getByRole('combobox', { name: 'Device time zone' }).fill('Nowhere')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Must be a time zone such as Europe/Berlin').waitFor()
  await page.getByRole('combobox', { name: 'Device time zone' }).fill('+08:00')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('heading', { name: 'Northern dock', level: 1 }).waitFor()

  await page.getByRole('button', { name: 'Delete Antenna 1' }).click()
  await page.getByText('they no longer move assets to Dock 1').waitFor()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await point.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Undo: restore Antenna 1' }).click()
  await point.waitFor()
  await page.getByRole('button', { name: 'Delete reader' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete reader' }).click()
  await page.getByText('No readers yet').waitFor()
})

test('a test read from the page of a reader is checked, and counts like a read of the device', async ({
  member,
  organization,
}) => {
  const { page } = member
  const dock = await newLocation(organization, 'Dock 1', 'DOCK-1')
  await newAsset(organization, 'Pallet 9', [{ tag_type: 'rfid', value: 'E200DD' }])
  await newReader(organization, { key: 'dock-1', format: 'canonical', locationId: dock, antennas: 1 })
  const [reader] = await readerViews(organization)
  await member.open(`/readers/${reader?.id}`)
  await page.getByRole('button', { name: 'Send a test read' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('The tag of Pallet 9.').waitFor()
  await expectAccessible(page)
  await dialog.getByRole('textbox', { name: 'Tag value' }).fill('not hex')
  await dialog.getByRole('button', { name: 'Send test read' }).click()
  await dialog.getByText('Must be an even number of hex digits').waitFor()
  await dialog.getByRole('textbox', { name: 'Tag value' }).fill('e2 00 dd')
  await dialog.getByRole('button', { name: 'Send test read' }).click()
  await page.getByText('Test read sent.').waitFor()
  await page.getByText('1 read in 1 message').waitFor()
  await expect
    .poll(() => page.getByLabel('MQTT topic', { exact: true }).isVisible(), { message: 'settings stay open' })
    .toBe(true)
})

test('a reader with a mapping is added; the mapping is checked before it is sent', async ({
  member,
  organization,
}) => {
  const { page } = member
  await member.open('/readers')
  await page.getByRole('button', { name: 'Add reader' }).first().click()
  await page.getByLabel('Reader key').fill('shelf')
  await page.getByRole('textbox', { name: 'Name' }).fill('Shelf')
  await page.getByRole('combobox', { name: 'Kind of reader' }).click()
  await page.getByRole('option', { name: /by a mapping/ }).click()
  await page.getByLabel('Mapping').fill('{"reads": ')
  await page.getByRole('dialog').getByRole('button', { name: 'Add reader' }).click()
  await page.getByText('Not valid JSON').waitFor()
  await page.getByLabel('Mapping').fill('{"reads": "", "tag": "epc", "tag_type": "rfid"}')
  await page.getByRole('dialog').getByRole('button', { name: 'Add reader' }).click()
  await page
    .getByText(/Must be a JSON pointer/)
    .first()
    .waitFor()
  await page.getByLabel('Mapping').fill('{"reads": "", "tag": "/epc", "tag_type": "rfid"}')
  await page.getByRole('dialog').getByRole('button', { name: 'Add reader' }).click()
  await page.getByRole('heading', { name: 'Shelf', level: 1 }).waitFor()
  await publish(organization, 'shelf', 'mapping', [{ epc: 'E200CC' }])
  await heard(organization, 'shelf')
  await page.reload()
  await page.getByRole('row', { name: /^Reads of unknown tags 1/ }).waitFor()
})

test('loaded readers stay offline, and a failure shows the request ID', async ({ member, organization }) => {
  const { page, context } = member
  const dock = await newLocation(organization, 'Dock 1', 'DOCK-1')
  await newReader(organization, { key: 'dock-1', format: 'canonical', locationId: dock, antennas: 1 })
  const failure = {
    type: 'internal_error',
    title: 'Internal server error',
    detail: 'it broke',
    request_id: '01JTEST0000000000000000000',
  }
  await page.route('**/api/v1/readers?*', (route) =>
    route.fulfill({ status: 500, contentType: 'application/json', body: JSON.stringify({ error: failure }) }),
  )
  await member.open('/readers')
  await page.getByRole('alert').getByText(failure.request_id).waitFor()
  await page.unroute('**/api/v1/readers?*')
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByRole('link', { name: 'dock-1' }).waitFor()
  await context.setOffline(true)
  await page.getByText('You see earlier data').waitFor()
  await page.getByRole('link', { name: 'dock-1' }).waitFor()
  await context.setOffline(false)
  await page.getByLabel('Search').fill('nothing like it')
  await page.getByText('No matching readers').waitFor()
  expect(new URL(page.url()).searchParams.get('q')).toBe('nothing like it')
})

test('an unknown payload becomes a working mapping: message, preview, saved, read', async ({
  member,
  organization,
}) => {
  const { page } = member
  const dock = await newLocation(organization, 'Dock 1', 'DOCK-1')
  const id = await newReader(organization, {
    key: 'bridge-1',
    format: 'canonical',
    locationId: dock,
    antennas: 2,
  })
  await newAsset(organization, 'Forklift 7', [{ tag_type: 'rfid', value: 'E2801160' }])
  const payload = { device: { port: 2 }, seen: [{ code: 'e2-80-11-60', power: -415 }, { power: -300 }] }
  await publish(organization, 'bridge-1', 'canonical', payload)
  await member.open(`/readers/${id}`)
  const messages = page.getByRole('region', { name: 'Last 20 messages with problems' })
  await messages.getByText('over MQTT').waitFor({ timeout: 15_000 })
  await messages.getByText('Check that the topic names the format that the device sends').waitFor()
  await expectAccessible(page)

  await messages.getByRole('button', { name: 'Try it' }).click()
  const dialog = page.getByRole('dialog', { name: 'Try a message' })
  await dialog.getByRole('heading', { name: '1 problem' }).waitFor()
  await expect.poll(() => dialog.getByLabel('Message').inputValue()).toBe(JSON.stringify(payload))
  await dialog.getByRole('combobox', { name: 'Kind of reader' }).click()
  await page.getByRole('option', { name: /described by a mapping/ }).click()
  const mapping = dialog.getByLabel('Mapping')
  await dialog.getByRole('combobox', { name: 'Start from' }).click()
  await page.getByRole('option', { name: 'Ruuvi Gateway, MQTT' }).click()
  await dialog.getByLabel('Topic after the format').waitFor()
  await mapping.fill('{"reads":"/seen",')
  await dialog.getByText(/Not valid JSON/).waitFor()
  await mapping.fill('{"reads":"/seen","tag":"/code"}')
  await dialog.getByText(/tag type: Fill in this field/).waitFor()
  await mapping.fill('{"reads":"/seen","tag":"/code","tag_type":"rfid","rssi":"/power","rssi_unit":"dBm/10"}')
  await dialog.getByRole('row', { name: /E2801160 1 −41.5 dBm – Forklift 7 is seen at Dock 1/ }).waitFor()
  await dialog.getByText('/seen/1', { exact: true }).waitFor()
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Save for this reader' }).click()
  await dialog.waitFor({ state: 'hidden' })

  await publish(organization, 'bridge-1', 'mapping', payload)
  await heard(organization, 'bridge-1')
})

test('a device whose messages the broker drops shows on the page of its reader', async ({
  member,
  organization,
}) => {
  const { page } = member
  const dock = await newLocation(organization, 'Dock 1', 'DOCK-1')
  const id = await newReader(organization, {
    key: 'dock-1',
    format: 'canonical',
    locationId: dock,
    antennas: 1,
  })
  await member.open(`/readers/${id}`)
  await page.getByRole('button', { name: 'Create user name and password' }).click()
  const clientId = await page.getByRole('textbox', { name: 'User name' }).inputValue()
  const clientSecret = await page.getByRole('textbox', { name: 'Password' }).inputValue()
  const link = await connectReader(STACK, { clientId, clientSecret }, 'mqtt')
  const bytes = Buffer.from(JSON.stringify(readOf('E200EE')))
  await link.publish(organization.id, 'dock-2', 'canonical', bytes) // acknowledged, and dropped: the key is bound to dock-1
  await page.getByLabel('I have stored it').check()
  await page.getByRole('button', { name: 'Done' }).click()
  await member.open(`/readers/${id}`)
  const alert = page.getByText('The device is connected, but nothing arrives')
  await alert.waitFor()
  await page.getByText(`scans/${organization.id}/dock-1/canonical`, { exact: true }).first().waitFor()
  await expectAccessible(page)
  await link.publish(organization.id, 'dock-1', 'canonical', bytes)
  await link.close()
  await alert.waitFor({ state: 'detached' })
  expect((await readerViews(organization)).map(({ reader_key }) => reader_key)).toEqual(['dock-1'])
})

test('a tag and an antenna are set up while their reads are watched', async ({ member, organization }) => {
  const { page } = member
  const dock = await newLocation(organization, 'Dock 1', 'DOCK-1')
  await newAsset(organization, 'Forklift 7', [])
  const id = await newReader(organization, {
    key: 'dock-1',
    format: 'canonical',
    locationId: dock,
    antennas: 0,
  })
  await member.open(`/readers/${id}`)
  await page.getByRole('button', { name: 'Watch live' }).click()
  await page.getByText('Waiting for reads.').waitFor()
  const link = await connectReader(STACK, organization.readerKey, 'mqtt')
  const read = () =>
    link.publish(organization.id, 'dock-1', 'canonical', Buffer.from(JSON.stringify(readOf('E200FF', 2))))
  const row = page.getByRole('row', { name: /E200FF/ })
  /** The stream may open after the first read: nothing is repeated. */
  const readUntil = (text: RegExp) =>
    vi.waitFor(
      async () => {
        await read()
        await row.filter({ hasText: text }).waitFor({ timeout: 500 })
      },
      { timeout: 15_000 },
    )
  await readUntil(/Unknown tag/)
  await row.getByText('2, no location').waitFor()
  await expectAccessible(page)
  await row.getByRole('button', { name: 'Set location of antenna 2' }).click()
  await page.getByRole('combobox', { name: 'Location' }).click()
  await page.getByRole('option', { name: /Dock 1/ }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Add scan point' }).click()
  await readUntil(/2, Dock 1/)
  await row.getByRole('button', { name: 'Assign E200FF' }).click()
  await page.getByRole('combobox', { name: 'Asset' }).click()
  await page.getByRole('option', { name: /Forklift 7/ }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Assign tag' }).click()
  await readUntil(/Forklift 7/)
  await link.close()
  await page.getByRole('button', { name: 'Stop watching' }).click()
  await row.waitFor({ state: 'detached' })
})
