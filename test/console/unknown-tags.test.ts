import { unwrap } from '@whereabouts/client/client'
import { expect, vi } from 'vitest'
import { newAsset, type Organization } from '../system/organization.ts'
import { connectReader } from '../system/readers.ts'
import { expectAccessible } from './support/accessible.ts'
import { STACK, test } from './support/visitor.fixture.ts'

async function publish({ id, readerKey }: Organization, ...tags: { type: string; value: string }[]) {
  const reader = await connectReader(STACK, readerKey, 'nats')
  const message = { reads: tags.map((tag) => ({ tag, antenna: 2, rssi_dbm: -54.5 })) }
  await reader.publish(id, 'gate', 'canonical', Buffer.from(JSON.stringify(message)))
  await reader.close()
}

const rfid = (value: string) => ({ type: 'rfid', value })
const rfidTag = (value: string) => ({ tag_type: 'rfid', value }) as const

const listed = ({ admin }: Organization, count: number) =>
  vi.waitFor(async () => expect(unwrap(await admin.GET('/api/v1/unknown-tags')).total_count).toBe(count), {
    timeout: 15_000,
    interval: 100,
  })

async function tagsOf({ integrator }: Organization, q: string) {
  const found = await integrator.GET('/api/v1/assets', { params: { query: { q } } })
  return unwrap(found).data.flatMap(({ name, tags }) => tags.map(({ value }) => ({ name, value })))
}

test('unknown tags are assigned to an existing or new asset, or dismissed', async ({
  member,
  organization,
}) => {
  const { page } = member
  await newAsset(organization, 'Forklift 7', [])
  await newAsset(organization, 'Pallet 9', [rfidTag('E200FF')])
  await member.open('/unknown-tags')
  await page.getByText('No unknown tags').waitFor()
  await publish(organization, rfid('E200AA'), rfid('E200BB'), rfid('E200CC'), {
    type: 'ble',
    value: 'AC:23:3F:A1:B2:C3',
  })
  const row = (value: string) => page.getByRole('row', { name: new RegExp(value) })
  await row('E200AA').getByText('gate, antenna 2').waitFor() // the list reloads by polling
  await row('E200AA').getByText('-54.5 dBm').waitFor()
  await expectAccessible(page)

  await page.getByRole('button', { name: 'Assign E200AA' }).click()
  await page.getByRole('combobox', { name: 'Asset' }).fill('forkl')
  await page.getByRole('option', { name: /Forklift 7/ }).click()
  await page.getByRole('button', { name: 'Assign tag' }).click()
  await row('E200AA').waitFor({ state: 'detached' })
  expect(await tagsOf(organization, 'Forklift')).toEqual([{ name: 'Forklift 7', value: 'E200AA' }])

  await page.getByRole('button', { name: 'Assign E200BB' }).click()
  await page.getByText('New asset').click()
  await page.getByRole('button', { name: 'Create asset' }).click()
  await page.getByText('Enter a name.').waitFor()
  expect(await page.getByLabel('Name').getAttribute('aria-invalid')).toBe('true')
  await page.getByLabel('Name').fill('Crate 3')
  await page.getByRole('button', { name: 'Create asset' }).click()
  await row('E200BB').waitFor({ state: 'detached' })
  expect(await tagsOf(organization, 'Crate')).toEqual([{ name: 'Crate 3', value: 'E200BB' }])

  const dismiss = page.getByRole('button', { name: 'Dismiss E200CC' })
  expect(await dismiss.getAttribute('data-variant')).toBe('default') // only the confirmation is red
  await dismiss.click()
  await page.getByRole('dialog').getByRole('button', { name: 'Dismiss' }).click()
  await row('E200CC').waitFor({ state: 'detached' })
  await page.getByLabel('Search').fill('e200')
  await page.getByText('No matching unknown tags').waitFor()
  await page.getByLabel('Search').fill('ac23')
  await row('AC233F').waitFor()
  expect(new URL(page.url()).searchParams.get('q')).toBe('ac23')
})

test('an assignment that comes too late shows why it failed, and the list stays visible offline', async ({
  member,
  organization,
}) => {
  const { page, context } = member
  await newAsset(organization, 'Forklift 7', [])
  await publish(organization, rfid('E200AA'), rfid('E200DD'))
  await listed(organization, 2)
  await member.open('/unknown-tags')
  await page.getByRole('button', { name: 'Assign E200AA' }).click()
  await newAsset(organization, 'Quicker', [rfidTag('E200AA')])
  await page.getByRole('combobox', { name: 'Asset' }).fill('forklift')
  await page.getByRole('option', { name: /Forklift 7/ }).click()
  await page.getByRole('button', { name: 'Assign tag' }).click()
  const refused = page.getByRole('dialog').getByRole('alert')
  await refused.getByText(/already exists/).waitFor()
  await refused.getByText(/Request/).waitFor()
  await page.getByRole('button', { name: 'Cancel' }).click()
  await context.setOffline(true)
  await page.getByText('You see earlier data').waitFor()
  await page.getByText('E200DD').waitFor()
})

test('D19.1 separators of labels are visible and assigned, other control characters are not offered', async ({
  member,
  organization,
}) => {
  const { page } = member
  await newAsset(organization, 'Vial', [])
  await member.open('/unknown-tags')
  const barcode = (value: string) => ({ type: 'barcode', value })
  await publish(organization, barcode('0109506\u001D2112345\r\n'), barcode('\u0002wedge'))
  await page.getByText('␂wedge').waitFor()
  await page.getByText('Cannot be assigned: it has control characters.').waitFor()
  expect(await page.getByRole('button', { name: 'Assign ␂wedge' }).count()).toBe(0)
  await page.getByRole('button', { name: 'Assign 0109506␝2112345' }).click()
  await page.getByRole('combobox', { name: 'Asset' }).fill('vial')
  await page.getByRole('option', { name: /Vial/ }).click()
  await page.getByRole('button', { name: 'Assign tag' }).click()
  await page.getByText('Assigned 0109506␝2112345 to Vial.').waitFor()
  expect(await tagsOf(organization, '6␝21')).toEqual([{ name: 'Vial', value: '0109506\u001D2112345' }])
  await page.getByLabel('Search').fill('␂w')
  await page.getByText('No matching unknown tags').waitFor()
})
