import { expect } from 'vitest'
import { newAsset, newLocation, reportRows, type Organization } from '../system/organization.ts'
import { expectAccessible } from './support/accessible.ts'
import { hasFocus } from './support/keyboard.ts'
import { newVisitor, leave, signIn, test, type Visitor } from './support/visitor.fixture.ts'

const FIELD = 'Scan or type a barcode, tag or key'

async function pick({ page }: Visitor, location: string) {
  await page.getByRole('combobox', { name: 'Location' }).click()
  await page.getByRole('option', { name: location }).click()
}

const row = ({ page }: Visitor, text: string) =>
  page.getByRole('region', { name: 'Scanned', exact: true }).getByRole('listitem').filter({ hasText: text })

/** Values as a scanner types them. */
async function scan({ page }: Visitor, values: readonly string[], end: 'Enter' | 'Tab' = 'Enter') {
  await page.getByLabel(FIELD).focus()
  for (const value of values) {
    await page.keyboard.type(value)
    await page.keyboard.press(end)
  }
}

const rfid = (value: string) => ({ tag_type: 'rfid' as const, value })
const barcode = (value: string) => ({ tag_type: 'barcode' as const, value })

const newTaggedLocation = (org: Organization, name: string, external_key: string, tag: string) =>
  org.integrator.POST('/api/v1/locations', { body: { name, external_key, tags: [barcode(tag)] } })

const placesOf = async (org: Organization) =>
  (await reportRows(org)).map((each) => [each.asset_external_key, each.location_external_key])

test('C4 keys, barcodes and RFID tags are resolved as they are scanned, and saved', async ({
  member,
  organization,
}) => {
  const { page } = member
  await newLocation(organization, 'Hall', 'HALL')
  await newTaggedLocation(organization, 'Dock', 'DOCK', 'dock-sign')
  const box = await newAsset(organization, 'Box', [barcode('Box-000001'), rfid('E280 1160')])
  const crate = await newAsset(organization, 'Crate', [])
  const pallet = await newAsset(organization, 'Pallet', [])
  const at = (keys: string[], location: string) =>
    organization.integrator.POST('/api/v1/inventory/save', {
      body: { asset_identifiers: keys, location_identifier: location },
    })
  await at([box.external_key], 'HALL')
  await at([crate.external_key], 'DOCK')

  await member.open('/inventory')
  await page.getByText('Nothing scanned yet').waitFor()
  await expect.poll(() => page.getByRole('button', { name: 'Save', exact: true }).isDisabled()).toBe(true)
  await scan(member, ['Box-000001'])
  await row(member, 'Box-000001').getByRole('link', { name: 'Box' }).waitFor()
  await page.getByText(`Box (${box.external_key}) added.`).waitFor()
  await scan(member, ['e280-1160'], 'Tab')
  await page.getByText(`Box (${box.external_key}) is already in the list. It counts once.`).waitFor()
  await row(member, 'Box-000001').getByText('Scanned: e280-1160 and Box-000001').waitFor()
  await page.getByText('1 asset in the list').waitFor()
  expect(await hasFocus(page.getByLabel(FIELD))).toBe(true)

  await scan(member, ['dock-sign'])
  await row(member, 'dock-sign').getByText('This is the location Dock (DOCK).').waitFor()
  await page.getByRole('button', { name: 'Use Dock as the location' }).click()
  await expect.poll(() => page.getByRole('combobox', { name: 'Location' }).inputValue()).toBe('Dock (DOCK)')
  expect(await row(member, 'dock-sign').count()).toBe(0)

  await page.getByLabel('Paste several').fill(`${pallet.external_key}; ${crate.external_key}\nBox-000001`)
  await page.getByRole('button', { name: 'Add 3 pasted' }).click()
  await page.getByText('2 values added. 1 value already in the list.').waitFor()
  await page.getByText('3 assets in the list').waitFor()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Save 3' }).click()

  await page.getByText('3 assets are at Dock').waitFor()
  await page.getByText('1 moved, 1 seen for the first time, 1 already there.').waitFor()
  const rows = await page.getByRole('region', { name: 'Saved assets' }).locator('tbody tr').allTextContents()
  expect(rows).toEqual([
    `Box${box.external_key}HallHALLDock`,
    `Pallet${pallet.external_key}UnknownDock`,
    `Crate${crate.external_key}DockDOCKUnchanged`,
  ])
  expect((await placesOf(organization)).map(([, location]) => location)).toEqual(['DOCK', 'DOCK', 'DOCK'])
  await expectAccessible(page)
  await page.getByText('Nothing scanned yet').waitFor()
  await page.keyboard.type('Box-000001\n') // the focus is on the result: the scan must not get lost
  await page.getByText('1 asset in the list').waitFor()
  expect(await page.getByText('3 assets are at Dock').count()).toBe(0)
})

test('C4 what names nothing stays and does not stop the others; the person chooses between two things', async ({
  member,
  organization,
}) => {
  const { page } = member
  await newLocation(organization, 'Dock', 'DOCK')
  const one = await newAsset(organization, 'One', [rfid('7788')])
  const two = await newAsset(organization, 'Two', [barcode('7788')])
  await member.open('/inventory')
  await pick(member, 'Dock')
  await scan(member, ['NONE-1', '7788', 'a b', 'Ä'])
  await page.getByText('Nothing has the key or tag Ä. It stays in the list.').waitFor()
  await row(member, 'NONE-1').getByText('Nothing has this key or tag').waitFor()
  await page.getByText('3 unknown values').waitFor()
  await row(member, '7788').getByText('This names more than one thing. Choose one:').waitFor()
  await expect.poll(() => page.getByRole('button', { name: 'Save', exact: true }).isDisabled()).toBe(true)
  await expectAccessible(page)

  await row(member, '7788')
    .getByRole('button', { name: `Two (${two.external_key}), by its barcode` })
    .click()
  await row(member, two.external_key).waitFor()
  await page.getByRole('button', { name: 'Split at spaces into 2' }).click()
  await page.getByRole('button', { name: 'Remove Ä' }).click()
  await page.getByText('3 unknown values').waitFor() // NONE-1, a and b
  await organization.integrator.POST('/api/v1/assets/{asset_id}/tags', {
    params: { path: { asset_id: one.id } },
    body: barcode('NONE-1'),
  })
  await page.getByRole('button', { name: 'Check again' }).click()
  await row(member, 'NONE-1').getByRole('link', { name: 'One' }).waitFor()
  await page.getByRole('button', { name: 'Save 2' }).click()
  await page.getByText('2 assets are at Dock').waitFor()
  await page.getByText('2 scanned values were not saved. See the list below.').waitFor()
  expect(await placesOf(organization)).toHaveLength(2)
  await page.getByText('2 unknown values').waitFor()
  await page.getByRole('button', { name: 'Clear list' }).click()
  await page.getByRole('dialog').getByText('Removes 2 scanned values from the list.').waitFor()
  await expectAccessible(page)
  await page.getByRole('dialog').getByRole('button', { name: 'Clear list' }).click()
  await page.getByText('Nothing scanned yet').waitFor()
})

test('C9 the list and the location survive leaving, reloading and signing in again, in every tab', async ({
  member,
  organization,
  browser,
}) => {
  const { page, context } = member
  await newLocation(organization, 'Dock', 'DOCK')
  const keys = []
  for (const name of ['One', 'Two', 'Three']) keys.push((await newAsset(organization, name, [])).external_key)
  await member.open('/inventory')
  await pick(member, 'Dock')
  await scan(member, [keys[0]!])
  await page.getByText('1 asset in the list').waitFor()
  await page.getByRole('link', { name: 'Assets', exact: true }).click()
  await page.getByRole('heading', { name: 'Assets' }).waitFor()
  await page.goBack()
  await row(member, 'One').waitFor()
  await page.reload()
  await row(member, 'One').waitFor()
  await expect.poll(() => page.getByRole('combobox', { name: 'Location' }).inputValue()).toBe('Dock (DOCK)')

  const second = await context.newPage()
  await second.goto('/inventory')
  await second.getByText('1 asset in the list').waitFor()
  await scan({ ...member, page: second }, [keys[1]!])
  await page.getByText('2 assets in the list').waitFor()
  await scan(member, [keys[2]!])
  await second.getByText('3 assets in the list').waitFor()
  await second.close()

  await page.getByRole('button', { name: /: menu$/ }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  await signIn(member, organization.login)
  await member.open('/inventory')
  await page.getByText('3 assets in the list').waitFor()
  await page.getByRole('button', { name: 'Save 3' }).click()
  await page.getByText('3 assets are at Dock').waitFor()
  await page.reload()
  await page.getByText('Nothing scanned yet').waitFor()

  const other = await newVisitor(browser) // a browser that keeps nothing
  await other.context.addInitScript(() => {
    Storage.prototype.setItem = () => {
      throw new Error('QuotaExceededError')
    }
  })
  await signIn(other, organization.login)
  await other.open('/inventory')
  await scan(other, [keys[0]!])
  await other.page.getByText('This browser cannot keep the list').waitFor()
  const warned = other.page.waitForEvent('dialog')
  const closing = other.page.close({ runBeforeUnload: true })
  await (await warned).accept()
  await closing
  await leave(other)
})

test('scans wait offline, and fast scans with Enter or Tab lose nothing', async ({
  member,
  organization,
}) => {
  const { page, context } = member
  await newLocation(organization, 'Dock', 'DOCK')
  const [one, two] = [await newAsset(organization, 'One', []), await newAsset(organization, 'Two', [])]
  await member.open('/inventory')
  await pick(member, 'Dock')
  await context.setOffline(true)
  await page.getByText('You are offline', { exact: true }).waitFor()
  await scan(member, [one.external_key])
  await row(member, one.external_key).getByText('Not checked yet').waitFor()
  await page.getByText('1 value not checked yet. You are offline.').waitFor()
  await page.getByRole('button', { name: 'Save 1' }).click()
  await page.getByRole('alert').getByText('The server cannot be reached').waitFor()
  await context.setOffline(false)
  await row(member, one.external_key).getByRole('link', { name: 'One' }).waitFor()

  const field = page.getByLabel(FIELD)
  const burst = Array.from({ length: 20 }, (_, i) => `BURST-${i}`)
  await scan(member, burst.slice(0, 10))
  await scan(member, burst.slice(10), 'Tab')
  await page.getByText('20 unknown values').waitFor()
  expect([await hasFocus(field), await field.inputValue()]).toEqual([true, ''])
  await page.keyboard.press('Tab')
  expect(await hasFocus(field)).toBe(false)
  await page.getByRole('button', { name: 'Remove 20 unknown' }).click()
  await page.getByText('1 asset in the list').waitFor()

  // Deleted after the scan: the others are saved.
  await scan(member, [two.external_key])
  await page.getByText('2 assets in the list').waitFor()
  await organization.integrator.DELETE('/api/v1/assets/{asset_id}', {
    params: { path: { asset_id: one.id } },
  })
  await page.getByRole('button', { name: 'Save 2' }).click()
  await page.getByText('1 asset is at Dock').waitFor()
  await row(member, one.external_key).getByText('Nothing has this key or tag').waitFor()
})

test('the next scan after picking a location is added, and also one into the field of the location', async ({
  member,
  organization,
}) => {
  const { page } = member
  await newLocation(organization, 'Hall', 'HALL')
  await newLocation(organization, 'Dock', 'DOCK')
  const [one, two] = [await newAsset(organization, 'One', []), await newAsset(organization, 'Two', [])]
  const location = page.getByRole('combobox', { name: 'Location' })
  await member.open('/inventory')
  await pick(member, 'Hall')
  expect(await hasFocus(page.getByLabel(FIELD))).toBe(true)
  await page.keyboard.type(`${one.external_key}\n`)
  await row(member, one.external_key).waitFor()
  await pick(member, 'Dock') // a picked location does not hide the others
  await page.getByText('1 asset in the list').waitFor()
  await expect.poll(() => location.inputValue()).toBe('Dock (DOCK)')

  await location.click()
  await page.keyboard.type(`${two.external_key}\n`)
  await row(member, two.external_key).waitFor()
  await page.getByText('2 assets in the list').waitFor()
  await expect.poll(() => location.inputValue()).toBe('Dock (DOCK)')
  expect(await hasFocus(page.getByLabel(FIELD))).toBe(true)
})

test('a paste of thousands is checked with visible progress, and what is too much stays in the field', async ({
  member,
  organization,
}) => {
  const { page } = member
  const one = await newAsset(organization, 'One', [])
  await member.open('/inventory')
  const values = Array.from({ length: 10_001 }, (_, i) => `V-${i}`)
  const text = [one.external_key, ...values].join('\n')
  await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(text)})`)
  await page.getByLabel('Paste several').focus()
  await page.keyboard.press('Control+V')
  await page.getByRole('button', { name: 'Add 10,002 pasted' }).click()
  await page
    .getByText('2 values not added: the list holds at most 10,000. Save it, then add the rest.')
    .waitFor()
  await expect.poll(() => page.getByLabel('Paste several').inputValue()).toBe('V-9999\nV-10000')
  await page.getByText(/values not checked yet\. Checking them now…/).waitFor()
  await page.getByText('9,999 unknown values').waitFor()
  await page.getByText('1 asset in the list').waitFor()
  await page.getByText('and 9,900 more').waitFor()
})

test('a save says before what it takes from other places, and can be undone', async ({
  member,
  organization,
}) => {
  const { page } = member
  for (const name of ['Hall', 'Yard', 'Dock']) await newLocation(organization, name, name.toUpperCase())
  const keys: string[] = []
  for (const name of ['One', 'Two', 'Three', 'Four', 'Five'])
    keys.push((await newAsset(organization, name, [])).external_key)
  const [one, two, three, four, five] = keys as [string, string, string, string, string]
  const at = (assets: string[], location: string) =>
    organization.integrator.POST('/api/v1/inventory/save', {
      body: { asset_identifiers: assets, location_identifier: location },
    })
  await at([one, two], 'HALL')
  await at([three], 'YARD')
  await at([four], 'DOCK')

  await member.open('/inventory')
  await scan(member, keys)
  await page.getByText('5 assets in the list').waitFor()
  await pick(member, 'Dock')
  await page.getByText('3 come from other places').click()
  const moving = page.getByRole('list', { name: 'From other places' })
  await moving.getByText('Three is at Yard').waitFor()
  await expect.poll(() => moving.getByRole('listitem').count()).toBe(3)
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Save 5' }).click()
  await page.getByText('5 assets are at Dock').waitFor()

  await at([two], 'YARD') // moved meanwhile: not pulled back
  await page.getByText('Moved 3 assets to Dock.').waitFor()
  await page.getByRole('button', { name: 'Undo' }).click()
  await page
    .getByText(
      '2 assets are back where they were. 1 asset that moved or was deleted meanwhile was left alone.',
    )
    .waitFor()
  expect(new Map((await placesOf(organization)).map(([asset, location]) => [asset, location]))).toEqual(
    new Map([[one, 'HALL'], [two, 'YARD'], [three, 'YARD'], [four, 'DOCK'], [five, 'DOCK']]), // oxfmt-ignore
  )
})

test('while a location is searched, nothing that an earlier text found can be picked', async ({
  member,
  organization,
}) => {
  const { page } = member
  await newLocation(organization, 'Aisle A', 'AISLE-A')
  await newLocation(organization, 'Bay A1', 'BAY-A1')
  await member.open('/inventory')
  await page.getByRole('combobox', { name: 'Location' }).click()
  await page.getByRole('option').first().waitFor()
  const held = Promise.withResolvers<void>()
  await page.route('**/api/v1/locations?*', async (route) => {
    await held.promise
    await route.continue()
  })
  await page.keyboard.type('bay a1', { delay: 60 }) // as a person types
  await page.getByText('Searching…').waitFor()
  expect(await page.getByRole('option').count()).toBe(0)
  held.resolve()
  await page.getByRole('option', { name: 'Bay A1 (BAY-A1)' }).click()
  await expect
    .poll(() => page.getByRole('combobox', { name: 'Location' }).inputValue())
    .toBe('Bay A1 (BAY-A1)')
})

test('on a phone, Save is at the thumb, and after a save the form stays where it was', async ({
  member,
  organization,
}) => {
  const { page } = member
  await newLocation(organization, 'Dock', 'DOCK')
  const keys: string[] = []
  for (let i = 0; i < 20; i += 1) keys.push((await newAsset(organization, `Pallet ${i}`, [])).external_key)
  await page.setViewportSize({ width: 390, height: 844 })
  await member.open('/inventory')
  await pick(member, 'Dock')
  const field = page.getByLabel(FIELD)
  const topOf = async () => (await field.boundingBox())?.y ?? 0
  const before = await topOf()
  await scan(member, keys)
  const save = page.getByRole('button', { name: 'Save 20' })
  await save.waitFor()
  const box = await save.boundingBox()
  expect([box && box.y > 700, box && box.y + box.height <= 844]).toEqual([true, true])
  await expectAccessible(page)
  await save.click()
  await page.getByText('20 assets are at Dock').waitFor()
  expect((await topOf()) - before).toBeLessThan(250)
})
