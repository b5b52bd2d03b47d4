import { expect } from 'vitest'
import { expectAccessible } from './support/accessible.ts'
import { newVisitor, test } from './support/visitor.fixture.ts'

test('a member is invited, joins with the link, changes role and is removed', async ({ member, browser }) => {
  const { page } = member
  await member.open('/members')
  await page.getByText('No open invitations').waitFor()
  await page.getByRole('button', { name: 'Invite' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Email').fill('not an address')
  await dialog.getByRole('button', { name: 'Create invitation' }).click()
  await dialog
    .getByRole('alert')
    .getByText(/^Request /)
    .waitFor()
  expect(await dialog.getByLabel('Email').getAttribute('aria-invalid')).toBe('true')
  const email = `grace-${Date.now()}@example.com`
  await dialog.getByLabel('Email').fill(email)
  await dialog.getByRole('button', { name: 'Create invitation' }).click()
  const link = await page.getByLabel(`Invitation link for ${email}`, { exact: true }).inputValue()
  await page.getByLabel('I have sent it').check()
  await page.getByRole('button', { name: 'Done' }).click()
  await page.getByRole('cell', { name: email, exact: true }).waitFor()
  await expectAccessible(page)
  await member.picture('members')

  const guest = await newVisitor(browser)
  await guest.page.goto(link)
  await guest.page.getByLabel('Your name').fill('Grace')
  await guest.page.getByRole('textbox', { name: 'Password' }).fill('a password of hers')
  await guest.page.getByRole('button', { name: 'Join' }).click()
  await guest.page.getByRole('button', { name: /Harbour Tools, Grace/ }).waitFor()
  await guest.open('/members')
  await guest.page.getByText('Only administrators can invite people').waitFor()
  expect(await guest.page.getByRole('button', { name: 'Invite' }).count()).toBe(0)

  await page.reload()
  const role = page
    .getByRole('textbox', { name: 'Role of Grace' })
    .or(page.getByRole('combobox', { name: 'Role of Grace' }))
  await role.click()
  await Promise.all([
    page.waitForResponse((reply) => reply.request().method() === 'PATCH' && reply.ok()),
    page.getByRole('option', { name: 'Administrator' }).click(),
  ])
  await guest.page.reload()
  await guest.page.getByRole('button', { name: 'Invite' }).waitFor()
  await page.getByRole('button', { name: 'Remove Grace' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
  await page.getByRole('button', { name: 'Remove Grace' }).waitFor({ state: 'detached' })
  await guest.page.reload()
  await guest.page.getByRole('button', { name: 'Sign in' }).waitFor()
  await guest.context.close()
})

test('the last administrator cannot leave', async ({ member }) => {
  const { page } = member
  await member.open('/members')
  await page.getByRole('button', { name: /^Leave / }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Leave' }).click()
  await page
    .getByRole('dialog')
    .getByRole('alert')
    .getByText(/^Request /)
    .waitFor()
})
