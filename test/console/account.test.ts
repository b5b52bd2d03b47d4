import type { Locator } from 'playwright-core'
import { expect } from 'vitest'
import { clientFromNewAddress } from '../system/organization.ts'
import { expectAccessible } from './support/accessible.ts'
import { hasFocus, press, tabTo } from './support/keyboard.ts'
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

  await page.getByLabel('Your name').fill('Ada Lovelace')
  await page.getByRole('button', { name: 'Save name' }).click()
  await page.getByRole('button', { name: 'Harbour Tools, Ada Lovelace: menu' }).waitFor()

  const end = page.getByRole('button', { name: 'End the session in Harbour Tools' })
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
  await page.getByText('Password changed. Your other sessions have ended.').waitFor()
  await page.getByText('This session', { exact: true }).waitFor()
  expect([await logIn(password), await logIn('another long password')]).toEqual([401, 200])
})

test('C10 on a phone the header fits, and all its controls can be used', async ({ member }) => {
  const { page } = member
  await page.setViewportSize({ width: 360, height: 780 })
  await member.open('/members')
  const person = page.getByRole('button', { name: /^Harbour Tools, Ada/ })
  const burger = page.getByRole('button', { name: 'Open the menu' })
  await person.waitFor()
  expect(await person.locator('[data-initials]').getAttribute('data-initials')).toBe('A')
  for (const width of [390, 360]) {
    await page.setViewportSize({ width, height: 780 })
    for (const control of [burger, page.getByRole('link', { name: 'Whereabouts' }), person])
      await expectWithin(control, width)
  }
  await tabTo(page, burger)
  await press(page, person)
  await page.getByText('Ada · Administrator of Harbour Tools').waitFor()
  await page.getByText(/^Version \d+\.\d+\.\d+$/).waitFor()
  await expectWithin(page.getByRole('menu'), 360)
  await page.keyboard.press('Escape')
  await page.getByRole('menu').waitFor({ state: 'detached' })
  expect(await hasFocus(person)).toBe(true)
})

/** Between the sides of the screen, and without cut text. */
async function expectWithin(control: Locator, width: number): Promise<void> {
  const { x, width: own } = (await control.boundingBox()) ?? { x: -1, width: 0 }
  expect(x).toBeGreaterThanOrEqual(0)
  expect(x + own).toBeLessThanOrEqual(width)
  expect(await control.evaluate((node) => node.scrollWidth > node.clientWidth)).toBe(false)
}
