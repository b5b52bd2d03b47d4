import { expect } from 'vitest'
import { clientFromNewAddress } from '../system/organization.ts'
import { expectAccessible } from './support/accessible.ts'
import { press, tabTo } from './support/keyboard.ts'
import { STACK, test } from './support/visitor.fixture.ts'

test('C5 a person changes name and password, sees their sessions and ends one', async ({
  member,
  organization,
}) => {
  const { page } = member
  const { email, password } = organization.login
  const logIn = async (attempt: string) => {
    const body = { email, password: attempt }
    return (await clientFromNewAddress(STACK).POST('/api/v1/auth/login', { body })).response.status
  }
  await member.open('/')
  await page.getByRole('button', { name: /^Harbour Tools, Ada/ }).click()
  await page.getByText('Ada · Administrator of Harbour Tools').waitFor()
  await expectAccessible(page)
  await page.getByRole('menuitem', { name: 'Account' }).click()
  await page.getByRole('heading', { name: 'Account' }).waitFor()
  await page.getByText('This session', { exact: true }).waitFor()
  await expectAccessible(page)
  await member.picture('account')

  await page.getByLabel('Your name').fill('Ada Lovelace')
  await page.getByRole('button', { name: 'Save name' }).click()
  await page.getByRole('button', { name: 'Harbour Tools, Ada Lovelace: menu' }).waitFor()
  await page.getByLabel('Name of the organization').fill('Harbour Works')
  await page.getByRole('button', { name: 'Rename' }).click()
  await page.getByRole('button', { name: 'Harbour Works, Ada Lovelace: menu' }).waitFor()

  const end = page.getByRole('button', { name: 'End the session in Harbour Works' })
  await end.click() // of the sign-up
  await page.getByRole('dialog').getByRole('button', { name: 'End' }).click()
  await end.waitFor({ state: 'detached' })

  const change = page.getByRole('button', { name: 'Change password' })
  await change.click()
  await page.getByText('Enter your current password.', { exact: true }).waitFor()
  await page.getByText('Choose a password.', { exact: true }).waitFor()
  await page.getByRole('textbox', { name: 'Current password' }).fill('not the password')
  await page.getByRole('textbox', { name: 'New password' }).fill('another long password')
  await change.click()
  await page.getByText('This is not your current password.', { exact: true }).waitFor()
  expect(await page.getByText('Request ID').count()).toBe(0)
  await page.getByRole('textbox', { name: 'Current password' }).fill(password)
  await change.click()
  await page.getByText('Your password is changed. Your other sessions have ended.').waitFor()
  await page.getByText('This session', { exact: true }).waitFor()
  expect([await logIn(password), await logIn('another long password')]).toEqual([401, 200])
})

test.for([360, 390])(
  'C10 at %i pixels the header fits, and all its controls can be used',
  async (width, { member }) => {
    const { page } = member
    await page.setViewportSize({ width, height: 780 })
    await member.open('/members')
    await page.getByRole('heading', { name: 'Members' }).waitFor()
    const person = page.getByRole('button', { name: /^Harbour Tools, Ada/ })
    const burger = page.getByRole('button', { name: 'Open the menu' })
    for (const control of [burger, page.getByRole('link', { name: 'Whereabouts' }), person]) {
      const box = await control.boundingBox()
      expect(box?.x).toBeGreaterThanOrEqual(0)
      expect((box?.x ?? 0) + (box?.width ?? Infinity)).toBeLessThanOrEqual(width)
      const isCut = await control.evaluate((node) => node.scrollWidth > node.clientWidth)
      expect(isCut).toBe(false)
    }
    expect(await person.locator('[data-initials]').getAttribute('data-initials')).toBe('A')
    await member.picture(`members-${width}`)
    await tabTo(page, burger)
    await press(page, person)
    await page.getByText('Ada · Administrator of Harbour Tools').waitFor()
    const menu = await page.getByRole('menu').boundingBox()
    expect(menu?.x).toBeGreaterThanOrEqual(0)
    expect((menu?.x ?? 0) + (menu?.width ?? Infinity)).toBeLessThanOrEqual(width)
    await member.picture(`person-menu-${width}`)
    await page.keyboard.press('Escape')
    await person.waitFor()
  },
)
