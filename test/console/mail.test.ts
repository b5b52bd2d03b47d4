import { expect } from 'vitest'
import { clientFromNewAddress } from '../system/organization.ts'
import { mailedLink } from '../system/mail.ts'
import { expectAccessible } from './support/accessible.ts'
import { STACK, test } from './support/visitor.fixture.ts'

const linkTo = (email: string, subject: string) => mailedLink(STACK.urls.mail, email, subject)

const logIn = async (email: string, password: string): Promise<number> =>
  (await clientFromNewAddress(STACK).POST('/api/v1/auth/login', { body: { email, password } })).response
    .status

test('who lost the password asks for a mail, and chooses a new one with its link', async ({
  visitor,
  organization,
}) => {
  const { page } = visitor
  const { email, password } = organization.login
  await visitor.open('/sign-in')
  await page.getByRole('link', { name: 'Forgot password?' }).click()
  const send = page.getByRole('button', { name: 'Send link' })
  await send.click()
  await page.getByText('Enter your email address.', { exact: true }).waitFor()
  await expectAccessible(page)
  await page.getByRole('textbox', { name: 'Email' }).fill(email)
  await send.click()
  await page
    .getByRole('status')
    .getByText(`If ${email} has an account, a mail with a link is on its way.`)
    .waitFor()
  await page.goto(await linkTo(email, 'Choose a new password'))
  await page.getByRole('textbox', { name: 'New password' }).fill('another long password')
  await page.getByRole('button', { name: 'Change password' }).click()
  await page.getByRole('heading', { name: 'Password changed' }).waitFor()
  expect([await logIn(email, password), await logIn(email, 'another long password')]).toEqual([401, 200])
})

test('a person confirms their address, and changes it', async ({ member, organization }) => {
  const { page } = member
  const { email, password } = organization.login
  const unconfirmed = page.getByText('Your email address is not confirmed', { exact: true })
  await member.open('/account')
  await unconfirmed.waitFor()
  await page.goto(await linkTo(email, 'Confirm your e-mail address'))
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Confirm' }).click()
  await page.getByText('Your email address is confirmed.', { exact: true }).waitFor()
  await page.getByRole('link', { name: 'Open your account' }).click()
  await page.getByText(`You sign in with ${email}.`).waitFor()
  await page.getByText('This session', { exact: true }).waitFor()
  expect(await unconfirmed.count()).toBe(0)

  const next = `next-${email}`
  const change = page.getByRole('button', { name: 'Change address' })
  await page.getByRole('textbox', { name: 'New email' }).fill(next)
  await change.click()
  await page.getByText('Enter your password.', { exact: true }).waitFor()
  await page.getByLabel('Your password').fill('not the password')
  await change.click()
  await page.getByText('This is not your password.', { exact: true }).waitFor()
  await page.getByLabel('Your password').fill(password)
  await change.click()
  await page.getByText(`Open the link in the mail to ${next}.`).waitFor()
  await page.goto(await linkTo(next, 'Confirm your new e-mail address'))
  await page.getByRole('button', { name: 'Confirm' }).click()
  await page.getByText('You sign in with the new address from now on.', { exact: true }).waitFor()
  expect([await logIn(email, password), await logIn(next, password)]).toEqual([401, 200])
})
