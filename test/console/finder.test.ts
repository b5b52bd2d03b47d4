import { expect } from 'vitest'
import { newAsset, newLocation } from '../system/organization.ts'
import { expectAccessible } from './support/accessible.ts'
import { hasFocus } from './support/keyboard.ts'
import { test } from './support/visitor.fixture.ts'

test('from anywhere, Ctrl-K finds things, screens and actions by keyboard', async ({
  member,
  organization,
}) => {
  const { page } = member
  await newLocation(organization, 'Forklift bay', 'BAY-1')
  await newAsset(organization, 'Forklift 7', [])
  await member.open('/readers')
  await page.getByRole('button', { name: 'Add reader' }).first().waitFor()
  const finder = page.getByRole('dialog', { name: 'Find anything' })
  const lines = finder.locator('[data-action]')

  await page.keyboard.press('Control+k')
  await page.getByRole('textbox', { name: 'Find' }).waitFor()
  await page.keyboard.type('forklift')
  await expect.poll(() => lines.count()).toBe(2)
  await finder.getByRole('status').getByText('Forklift 7').waitFor({ state: 'attached' })
  await expectAccessible(page)
  await page.keyboard.press('ArrowDown')
  await finder.getByRole('status').getByText('Forklift bay BAY-1').waitFor({ state: 'attached' })
  await page.keyboard.press('ArrowUp')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Forklift 7', level: 1 }).waitFor()
  await finder.waitFor({ state: 'detached' })
  await expect.poll(() => hasFocus(page.getByRole('heading', { name: 'Forklift 7', level: 1 }))).toBe(true)

  await page.keyboard.press('Control+k')
  await page.getByRole('textbox', { name: 'Find' }).waitFor()
  await page.keyboard.type('no such thing')
  await finder.getByText('Nothing found for “no such thing”.').first().waitFor()
  await page.keyboard.press('Control+a')
  await page.keyboard.type('new asset')
  await finder.getByRole('group', { name: 'Actions' }).getByText('New asset').waitFor()
  await page.keyboard.press('Enter')
  await page.getByRole('dialog', { name: 'New asset' }).getByLabel('Name').waitFor()
  await page.keyboard.press('Control+k') // would lead away from what is typed there
  expect(await finder.count()).toBe(0)
  await page.keyboard.press('Escape')

  await page.getByRole('button', { name: 'Find anything' }).click()
  await finder.getByRole('group', { name: 'Recent' }).getByText('Forklift 7').waitFor()
  await page.keyboard.press('Escape')
  await finder.waitFor({ state: 'detached' })
  await expect.poll(() => hasFocus(page.getByRole('button', { name: 'Find anything' }))).toBe(true)
})

test('a scanned tag opens its asset, and a slash leads to the search of a list', async ({
  member,
  organization,
}) => {
  const { page } = member
  await newAsset(organization, 'Forklift 7', [{ tag_type: 'rfid', value: 'E28011600007' }])
  await newAsset(organization, 'Forklift 8', [{ tag_type: 'rfid', value: 'E280116000071' }])
  await member.open('/assets')
  await page.getByText('1–2 of 2 assets').waitFor()
  await page.keyboard.press('/')
  await page.keyboard.type('lift 8')
  await page.getByText('1 asset', { exact: true }).waitFor()
  await expect.poll(() => page.getByLabel('Search').inputValue()).toBe('lift 8')

  await page.keyboard.press('Control+k')
  await page.getByRole('textbox', { name: 'Find' }).waitFor()
  await page.keyboard.type('E28011600007') // without a pause, as scanners do
  await page.keyboard.press('Enter')
  await expect.poll(() => hasFocus(page.getByRole('heading', { name: 'Forklift 7', level: 1 }))).toBe(true)
})

test.for([0, 9, 24])(
  'a scan right after Ctrl-K opens its asset, if the script of the finder comes after %i letters',
  async (letters, { member, organization }) => {
    const { page } = member
    const tag = 'E28011606000020A1B2C0005'
    await newAsset(organization, 'Forklift 5', [{ tag_type: 'rfid', value: tag }])
    await newAsset(organization, 'Forklift 6', [{ tag_type: 'rfid', value: `${tag}1` }])
    const held = Promise.withResolvers<void>()
    await page.route('**/static/finder-*.js', async (route) => {
      await held.promise
      await route.continue()
    })
    await member.open('/assets')
    await page.getByText('1–2 of 2 assets').waitFor()
    await page.getByLabel('Search').focus()
    await page.keyboard.press('Control+k')
    const scanner = { delay: 10 }
    await page.keyboard.type(tag.slice(0, letters), scanner)
    held.resolve()
    await page.keyboard.type(tag.slice(letters), scanner)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Forklift 5', level: 1 }).waitFor()
  },
)

test('before its script is there, Escape ends the search, and keys are typed as usual', async ({
  member,
}) => {
  const { page } = member
  await page.route('**/static/finder-*.js', () => new Promise(() => undefined))
  await member.open('/assets')
  await page.getByLabel('Search').focus()
  await page.keyboard.press('Control+k')
  await page.keyboard.type('lost')
  await page.keyboard.press('Escape')
  await page.keyboard.type('lift')
  await expect.poll(() => page.getByLabel('Search').inputValue()).toBe('lift')
})
