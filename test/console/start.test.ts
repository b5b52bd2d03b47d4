import { expect, vi } from 'vitest'
import { newAsset, newLocation, newReader } from '../system/organization.ts'
import { connectReader } from '../system/readers.ts'
import { expectAccessible } from './support/accessible.ts'
import { hasFocus, press, tabTo, typeInto } from './support/keyboard.ts'
import { test } from './support/visitor.fixture.ts'

const TAG = 'E28011606000020A1B2C3D4E'

test('sign-up to first scan of a real reader, by keyboard only', async ({ visitor }) => {
  const { page } = visitor
  const { keyboard } = page
  const value = (label: string) => page.getByRole('textbox', { name: label, exact: true }).inputValue()
  await visitor.open('/sign-up')
  await typeInto(page, page.getByLabel('Organization'), 'Keyboard Works')
  await typeInto(page, page.getByLabel('Your name'), 'Ada')
  await typeInto(page, page.getByLabel('Email'), `keys-${process.pid}-${Date.now()}@works.example`)
  await typeInto(page, page.getByRole('textbox', { name: 'Password' }), 'correct horse battery')
  await keyboard.press('Enter')
  await page.waitForURL('**/start')
  await page.getByText('1 of 5 steps are done.').waitFor()

  const location = page.getByLabel('Location name')
  await typeInto(page, location, 'Dock 1')
  await keyboard.press('Enter')
  await page.getByRole('link', { name: 'Dock 1' }).waitFor()
  expect(await hasFocus(location)).toBe(true) // ready for the next one
  expect(await location.inputValue()).toBe('')

  await typeInto(page, page.getByLabel('Asset name'), 'Forklift 7')
  await typeInto(page, page.getByLabel('Tag value'), TAG)
  await keyboard.press('Enter')
  await page.getByText('3 of 5 steps are done.').waitFor()
  const next = page.getByRole('heading', { name: '4. Reader' })
  await vi.waitFor(async () => expect(await hasFocus(next)).toBe(true))

  await tabTo(page, page.getByLabel('Reader key'))
  expect(await value('Reader key')).toBe('dock-1-reader')
  await keyboard.press('Enter')
  await page.getByText('4 of 5 steps are done.').waitFor()
  await press(page, page.getByRole('button', { name: 'Create credentials' }))
  await press(page, page.getByRole('button', { name: 'Copy Password' }))
  const credentials = { clientId: await value('User name'), clientSecret: await value('Password') }
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(credentials.clientSecret)
  expect(await value('Mosquitto command')).toContain(credentials.clientSecret)
  await expectAccessible(page)
  await page.evaluate('scrollTo(0, 0)')
  await visitor.picture('start')

  const urls = { mqtt: await value('MQTT broker'), nats: await value('NATS broker') }
  const [, orgId, readerKey = '', format = ''] = (await value('Message topic')).split('/')
  const message = Buffer.from(await value('Message'))
  await press(page, page.getByLabel('I have stored it'), 'Space')
  await press(page, page.getByRole('button', { name: 'Done' }))
  const reader = await connectReader({ urls }, credentials, 'mqtt')
  await reader.publish(Number(orgId), readerKey, format, message)
  await reader.close()

  await page.getByText('All five steps are done.').waitFor()
  await page.getByText(/Forklift 7 is at Dock 1, seen/).waitFor()
  await page.evaluate('scrollTo(0, 0)')
  await visitor.picture('start-done')
  await press(page, page.getByRole('link', { name: 'See its current location' }))
  await page.waitForURL(/\/assets\/\d+$/)
})

test('steps done on other screens count, and a scan without a location shows why', async ({
  member,
  organization,
}) => {
  const { page } = member
  const dock = await newLocation(organization, 'Dock 2', 'DOCK-2')
  await newAsset(organization, 'Pallet 9', [{ tag_type: 'rfid', value: TAG }])
  await newReader(organization, { key: 'gate', format: 'canonical', locationId: dock, antennas: 1 })
  await member.open('/start')
  await page.getByText('4 of 5 steps are done.').waitFor()
  await page.getByText('Waiting for the first scan').waitFor()
  const { mqtt, nats } = {
    mqtt: '',
    nats: await page.getByLabel('NATS broker', { exact: true }).inputValue(),
  }
  const reader = await connectReader({ urls: { mqtt, nats } }, organization.readerKey, 'nats')
  const unknownTag = { reads: [{ tag: { type: 'rfid', value: 'E200AAAA' }, antenna: 1 }] }
  await reader.publish(organization.id, 'gate', 'canonical', Buffer.from(JSON.stringify(unknownTag)))
  await reader.close()
  await page.getByText(/1 × unknown tag/).waitFor()
})

test('a refused name is shown at the field, and offline no text is lost', async ({ member }) => {
  const { page, context } = member
  await member.open('/start')
  await page.getByText('1 of 5 steps are done.').waitFor()
  await page.getByLabel('Location name').fill(' Dock')
  await page.getByRole('button', { name: 'Add location' }).click()
  await page.getByText('Must not start or end with white space').first().waitFor()
  expect(await page.getByLabel('Location name').getAttribute('aria-invalid')).toBe('true')
  await context.setOffline(true)
  await page.getByText('You see earlier data').waitFor()
  await page.getByRole('button', { name: 'Add location' }).click()
  await page.getByRole('alert').getByText('The server cannot be reached').waitFor()
  expect(await page.getByLabel('Location name').inputValue()).toBe(' Dock')
  await context.setOffline(false)
  await page.getByLabel('Location name').fill('Dock')
  await page.getByRole('button', { name: 'Add location' }).click()
  await page.getByRole('link', { name: 'Dock' }).waitFor()
})
