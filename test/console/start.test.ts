import type { Page } from 'playwright-core'
import { expect, vi } from 'vitest'
import { newAsset, newLocation, newReader, readerViews } from '../system/organization.ts'
import { connectReader } from '../system/readers.ts'
import { expectAccessible } from './support/accessible.ts'
import { countActions } from './support/actions.ts'
import { hasFocus, press, tabTo, typeInto } from './support/keyboard.ts'
import { type Visitor, test } from './support/visitor.fixture.ts'

const TAG = 'E28011606000020A1B2C3D4E'
const newEmail = () => `ada-${process.pid}-${Date.now()}@works.example`

const textOf = (page: Page, label: string) =>
  page.getByRole('textbox', { name: label, exact: true }).inputValue()

/** Fills the form of /sign-up, field by field. Resolves when the guide is shown. */
async function signUp({ page, open }: Visitor) {
  await open('/sign-up')
  await page.getByLabel('Organization').waitFor()
  const actions = countActions(page)
  await actions.fill('Organization', 'Nordlager')
  await actions.fill('Your name', 'Ada')
  await actions.fill('Email', newEmail())
  await actions.fill('Password', 'correct horse battery')
  await actions.submit()
  await page.getByText('1 of 5 steps is done.').waitFor()
  return actions
}

test('sign-up to first scan in the browser, with the example: 7 actions', async ({ visitor }) => {
  const { page } = visitor
  const actions = await signUp(visitor)
  await page.getByText('You are signed in to Nordlager.').waitFor()
  await expectAccessible(page)
  await actions.click('Add an example for me')
  await actions.click('Send a test read')
  await page.getByText(/Forklift 7 is at Dock 1, seen/).waitFor()
  process.stdout.write(`  with the example: ${actions.count} actions, ${actions.seconds.toFixed(1)} s\n`)
  expect(actions.count).toBe(7)
  await page.getByText('All five steps are done.').waitFor()
  await page.getByRole('link', { name: 'See where it is, and why' }).click()
  await page.waitForURL(/\/assets\/\d+$/)
})

test('sign-up to first scan in the browser, step by step: 9 actions', async ({ visitor }) => {
  const { page } = visitor
  const actions = await signUp(visitor)
  await actions.click('Add location')
  await actions.click('Add asset')
  await actions.click('Add reader')
  await actions.click('Send a test read')
  await page.getByText(/Forklift 7 is at Dock 1, seen/).waitFor()
  process.stdout.write(`  step by step: ${actions.count} actions, ${actions.seconds.toFixed(1)} s\n`)
  expect(actions.count).toBe(9)
})

test('sign-up to first scan of a real reader, by keyboard only', async ({ visitor }) => {
  const { page } = visitor
  const { keyboard } = page
  await visitor.open('/sign-up')
  await typeInto(page, page.getByLabel('Organization'), 'Keyboard Works')
  await typeInto(page, page.getByLabel('Your name'), 'Ada')
  await typeInto(page, page.getByLabel('Email'), newEmail())
  await typeInto(page, page.getByRole('textbox', { name: 'Password' }), 'correct horse battery')
  await keyboard.press('Enter')
  await page.waitForURL('**/start')
  await page.getByText('1 of 5 steps is done.').waitFor()

  const location = page.getByLabel('Location name')
  await typeInto(page, location, 'Gate 2') // replaces the example
  await keyboard.press('Enter')
  await page.getByRole('link', { name: 'Gate 2' }).waitFor()
  expect(await hasFocus(location)).toBe(true) // ready for the next one
  await expect.poll(() => location.inputValue()).toBe('')

  await typeInto(page, page.getByLabel('Asset name'), 'Crane 1')
  await page.getByText('An example. A real one: Printed on the label').waitFor()
  await typeInto(page, page.getByLabel('Tag value'), TAG)
  await page.getByRole('button', { name: 'No tag at hand? Use an example value' }).waitFor()
  await keyboard.press('Enter')
  await page.getByText('3 of 5 steps are done.').waitFor()
  const next = page.getByRole('heading', { name: '4. Reader' })
  await vi.waitFor(async () => expect(await hasFocus(next)).toBe(true), 10_000)

  await tabTo(page, page.getByLabel('Reader key'))
  expect(await textOf(page, 'Reader key')).toBe('gate-2-reader')
  await keyboard.press('Enter')
  await page.getByText('4 of 5 steps are done.').waitFor()
  await expect
    .poll(() => page.getByLabel('MQTT topic', { exact: true }).isVisible(), {
      message: 'settings are on demand',
    })
    .toBe(false)
  await press(page, page.getByText('Connect a real reader'))
  await press(page, page.getByRole('button', { name: 'Create user name and password' }))
  await press(page, page.getByRole('button', { name: 'Copy Password' }))
  const credentials = {
    clientId: await textOf(page, 'User name'),
    clientSecret: await textOf(page, 'Password'),
  }
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(credentials.clientSecret)
  await expectUnderscoreVisible(page)
  await press(page, page.getByText('Send a read from a shell or a program'))
  expect(await textOf(page, 'Mosquitto command')).toContain(credentials.clientSecret)
  await press(page, page.getByText('For technicians'))
  await expectAccessible(page)
  await expectFullValues(page)
  const urls = { mqtt: await textOf(page, 'MQTT broker'), nats: await textOf(page, 'NATS broker') }
  const [, orgId, readerKey = '', format = ''] = (await textOf(page, 'Message topic')).split('/')
  const message = Buffer.from(await textOf(page, 'Message'))
  await press(page, page.getByLabel('I have stored it'), 'Space')
  await press(page, page.getByRole('button', { name: 'Done' }))
  const reader = await connectReader({ urls }, credentials, 'mqtt')
  await reader.publish(Number(orgId), readerKey, format, message)
  await reader.close()

  await page.getByText('All five steps are done.').waitFor()
  await page.getByText(/Crane 1 is at Gate 2, seen/).waitFor()
  await press(page, page.getByRole('link', { name: 'See where it is, and why' }))
  await page.waitForURL(/\/assets\/\d+$/)
})

/** The password has an underscore. Without it, the picture of the field must have fewer dark pixels. */
async function expectUnderscoreVisible(page: Page): Promise<void> {
  const field = page.getByRole('textbox', { name: 'Password', exact: true })
  await page.getByRole('heading', { level: 1 }).focus() // a selection would color the field
  const value = await field.inputValue()
  expect(value.match(/_/g)).toHaveLength(1)
  // A copy, because the screen may render its field again, with its own value, at any moment.
  await field.evaluate((node) => {
    const copy = node.cloneNode()
    copy.id = 'copied-field'
    node.after(copy)
  })
  const copy = page.locator('#copied-field')
  const darkPixels = async (text: string) => {
    await copy.evaluate((node, to) => ((node as { value: string }).value = to), text)
    return countDarkPixels(page, await copy.screenshot({ animations: 'disabled' }))
  }
  const without = await darkPixels(value.replace('_', ' '))
  expect((await darkPixels(value)) - without, 'pixels of the underscore').toBeGreaterThanOrEqual(5)
  await copy.evaluate((node) => node.remove())
}

const countDarkPixels = (page: Page, png: Buffer): Promise<number> =>
  page.evaluate<number>(`(async () => {
    const bytes = Uint8Array.from(atob('${png.toString('base64')}'), (one) => one.charCodeAt(0))
    const picture = await createImageBitmap(new Blob([bytes], { type: 'image/png' }))
    const canvas = new OffscreenCanvas(picture.width, picture.height).getContext('2d')
    canvas.drawImage(picture, 0, 0)
    const { data } = canvas.getImageData(0, 0, picture.width, picture.height)
    let dark = 0
    for (let at = 0; at < data.length; at += 4) if (data[at] + data[at + 1] + data[at + 2] < 384) dark += 1
    return dark
  })()`)

/** On a phone, every copy field shows its whole value. */
async function expectFullValues(page: Page): Promise<void> {
  const before = page.viewportSize()
  await page.setViewportSize({ width: 360, height: 780 })
  const cut = await page.evaluate<string[]>(`[...document.querySelectorAll('textarea[readonly]')]
    .filter((field) => field.scrollHeight > field.clientHeight || field.scrollWidth > field.clientWidth)
    .map((field) => field.value)`)
  expect(cut).toEqual([])
  if (before) await page.setViewportSize(before)
}

test('steps done on other screens count, and a scan without a location shows why', async ({
  member,
  organization,
}) => {
  const { page } = member
  const dock = await newLocation(organization, 'Dock 2', 'DOCK-2')
  await newAsset(organization, 'Pallet 9', [{ tag_type: 'rfid', value: 'PALLET 9' }])
  await newReader(organization, { key: 'gate', format: 'canonical', locationId: dock, antennas: 1 })
  await member.open('/start')
  await page.getByText('4 of 5 steps are done.').waitFor()
  await page.getByText('Waiting for the first scan').waitFor()
  await page.getByRole('button', { name: 'Send a test read' }).click()
  await page.getByRole('alert').getByText('an even number of hex digits').waitFor()
  await page.getByText('Connect a real reader').click()
  const nats = await page.getByLabel('NATS broker', { exact: true }).inputValue()
  const reader = await connectReader({ urls: { mqtt: '', nats } }, organization.readerKey, 'nats')
  const unknownTag = { reads: [{ tag: { type: 'rfid', value: 'E200AAAA' }, antenna: 1 }] }
  await reader.publish(organization.id, 'gate', 'canonical', Buffer.from(JSON.stringify(unknownTag)))
  await reader.close()
  await page.getByText('1 read of an unknown tag: No asset or location has the tag').waitFor()
  await page.getByText('gate sent 1 read in 1 message. No asset was located yet.').waitFor()
})

test('an example that stopped halfway is completed', async ({ member, organization }) => {
  const { page } = member
  await member.open('/start')
  await page.route('**/api/v1/readers/*/scan-points', (route) =>
    route.request().method() === 'POST' ? route.abort() : route.continue(),
  )
  await page.getByRole('button', { name: 'Add an example for me' }).click()
  await page.getByText('The server cannot be reached').waitFor()
  await page.unroute('**/api/v1/readers/*/scan-points')
  await page.getByText('3 of 5 steps are done.').waitFor()
  await page.getByRole('button', { name: 'Add an example for me' }).click()
  await page.getByText('4 of 5 steps are done.').waitFor()
  expect(await readerViews(organization)).toMatchObject([{ reader_key: 'dock-1-reader' }])
})

test('a refused name is shown at the field, and offline no text is lost', async ({ member }) => {
  const { page, context } = member
  await member.open('/start')
  await page.getByText('1 of 5 steps is done.').waitFor()
  await page.getByLabel('Location name').fill(' ')
  await page.getByRole('button', { name: 'Add location' }).click()
  await page.getByText('Enter a name.').waitFor()
  expect(await page.getByLabel('Location name').getAttribute('aria-invalid')).toBe('true')
  await context.setOffline(true)
  await page.getByText('You see earlier data').waitFor()
  await page.getByLabel('Location name').fill('Dock')
  await page.getByRole('button', { name: 'Add location' }).click()
  await page.getByRole('alert').getByText('The server cannot be reached').waitFor()
  await expect.poll(() => page.getByLabel('Location name').inputValue()).toBe('Dock')
  await context.setOffline(false)
  await page.getByRole('button', { name: 'Add location' }).click()
  await page.getByRole('link', { name: 'Dock' }).waitFor()
})
