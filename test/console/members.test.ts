import { expect } from 'vitest'
import { expectAccessible } from './support/accessible.ts'
import { join } from './support/join.ts'
import { newVisitor, test } from './support/visitor.fixture.ts'

test('C23 a member is invited, joins with the link, changes role and is removed', async ({
  member,
  browser,
}) => {
  const { page } = member
  await member.open('/members')
  await page.getByText('No open invitations').waitFor()
  await page.getByRole('button', { name: 'Invite' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Email').fill('not an address')
  await dialog.getByRole('button', { name: 'Create invitation' }).click()
  await dialog.getByText('Enter an email address such as ada@example.com.', { exact: true }).waitFor()
  expect(await dialog.getByLabel('Email').getAttribute('aria-invalid')).toBe('true')
  await expectAccessible(page)
  const email = `grace-${Date.now()}@example.com`
  await dialog.getByLabel('Email').fill(email)
  await dialog.getByRole('button', { name: 'Create invitation' }).click()
  const link = await page.getByLabel(`Invitation link for ${email}`, { exact: true }).inputValue()
  await page.getByText(/as Member\. It is from Ada and works once, until/).waitFor()
  await page.getByLabel('I have sent it').check()
  await page.getByRole('button', { name: 'Done' }).click()
  await page.getByRole('cell', { name: email, exact: true }).waitFor()
  await expectAccessible(page)

  const guest = await newVisitor(browser)
  await guest.page.goto(link)
  await guest.page.getByRole('heading', { name: 'Join Harbour Tools' }).waitFor()
  await guest.page.getByText(`Ada invites ${email} to Harbour Tools as Member`).waitFor()
  await guest.page.getByText(/^The invitation is valid until \d/).waitFor()
  await guest.page.getByRole('radio', { name: 'I have an account with this email address' }).check()
  await guest.page.getByRole('textbox', { name: 'Password' }).fill('a password of hers')
  await guest.page.getByRole('button', { name: 'Join' }).click()
  await guest.page
    .getByRole('alert')
    .getByText('The password or your choice is wrong', { exact: true })
    .waitFor()
  await guest.page.getByRole('radio', { name: 'I am new' }).check()
  await guest.page.getByRole('textbox', { name: 'Password' }).fill('')
  await guest.page.getByRole('button', { name: 'Join' }).click()
  await guest.page.getByText('Enter your name.', { exact: true }).waitFor()
  await guest.page.getByText('Choose a password.', { exact: true }).waitFor()
  await expectAccessible(guest.page)
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

test('C18 the last administrator is told why they cannot leave; who lost a race is told too', async ({
  member,
  organization,
}) => {
  const { page } = member
  await member.open('/members')
  await page
    .getByText('You are the only administrator. To leave, make somebody else administrator first.')
    .waitFor()
  expect(await page.getByRole('button', { name: /^Leave / }).count()).toBe(0)
  // With a second administrator there is the button. That person is demoted while the dialog is open.
  const eve = await join(organization, 'admin')
  await page.reload()
  await page.getByRole('button', { name: 'Leave Harbour Tools' }).click()
  await organization.admin.PATCH('/api/v1/orgs/{org_id}/members/{user_id}', {
    params: { path: { org_id: organization.id, user_id: eve.userId } },
    body: { role: 'member' },
  })
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Leave' }).click()
  const refused = dialog.getByRole('alert')
  await refused.getByText('The organization must keep at least one administrator', { exact: true }).waitFor()
  expect(await refused.innerText()).not.toMatch(/Conflict/)
})

test('C5 an administrator makes a reset link, with which a member chooses a new password', async ({
  member,
  organization,
  browser,
}) => {
  const { page } = member
  const grace = await join(organization, 'member')
  await member.open('/members')
  await page.getByRole('button', { name: 'Reset link for Grace' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Create link' }).click()
  const link = await page.getByRole('textbox', { name: 'Reset link for Grace' }).inputValue()
  await page.getByLabel('I have sent it').check()
  await page.getByRole('button', { name: 'Done' }).click()

  const guest = await newVisitor(browser)
  await guest.open('/sign-in')
  await guest.page.getByRole('link', { name: 'Forgot password?' }).click()
  await guest.page.getByText('Ask an administrator of your organization.').waitFor()
  await expectAccessible(guest.page)
  await guest.page.goto(link)
  await guest.page.getByText('At least 10 characters').waitFor()
  await expectAccessible(guest.page)
  const change = guest.page.getByRole('button', { name: 'Change password' })
  await guest.page.getByRole('textbox', { name: 'New password' }).fill('short')
  await change.click()
  await guest.page.getByText('Use at least 10 characters.', { exact: true }).waitFor()
  await guest.page.getByRole('textbox', { name: 'New password' }).fill('another password of hers')
  await change.click()
  await guest.page.getByRole('heading', { name: 'Password changed' }).waitFor()
  await guest.page.getByRole('link', { name: 'Sign in' }).click()
  await guest.page.getByRole('textbox', { name: 'Email' }).fill(grace.email)
  await guest.page.getByRole('textbox', { name: 'Password' }).fill('another password of hers')
  await guest.page.getByRole('button', { name: 'Sign in' }).click()
  await guest.page.getByRole('button', { name: 'Harbour Tools, Grace: menu' }).waitFor()
  await guest.page.goto(link)
  await guest.page.getByRole('textbox', { name: 'New password' }).fill('a third password of hers')
  await change.click()
  await guest.page.getByRole('alert').getByText('This link does not work any more', { exact: true }).waitFor()
  await guest.context.close()
})
