import { expect } from 'vitest'
import { unwrap } from '@whereabouts/client/client'
import { clientFromNewAddress } from '../system/organization.ts'
import { expectAccessible } from './support/accessible.ts'
import { join } from './support/join.ts'
import { leave, newVisitor, signIn, STACK, test } from './support/visitor.fixture.ts'

test('D15.3 an administrator renames the organization and chooses its time zone', async ({
  member,
  organization: { id, admin },
}) => {
  const { page } = member
  await member.open('/settings')
  const name = page.getByLabel('Name of the organization')
  const save = page.getByRole('button', { name: 'Save' })
  await name.waitFor()
  expect(await save.isDisabled()).toBe(true)
  await expectAccessible(page)
  await name.fill('')
  await save.click()
  await page.getByText('Enter the name of your organization.').waitFor()
  await name.fill('Harbour Works')
  const zone = page
    .getByRole('textbox', { name: 'Time zone' })
    .or(page.getByRole('combobox', { name: 'Time zone' }))
  await zone.fill('lisb')
  await page.getByRole('option', { name: 'Europe/Lisbon' }).click()
  await save.click()
  await page.getByRole('button', { name: 'Harbour Works, Ada: menu' }).waitFor()
  const org = unwrap(await admin.GET('/api/v1/orgs/{org_id}', { params: { path: { org_id: id } } })).data
  expect(org).toMatchObject({ name: 'Harbour Works', timezone: 'Europe/Lisbon' })
  await page.reload()
  await name.waitFor()
  expect(await zone.inputValue()).toBe('Europe/Lisbon')
  expect(await save.isDisabled()).toBe(true)
})

test('D15.3 deleting asks for the name, signs everybody out, and the account cannot sign in any more', async ({
  member,
  organization,
  browser,
}) => {
  const { page } = member
  const grace = await newVisitor(browser)
  const { email, password } = await join(organization, 'member')
  await signIn(grace, { email, password })
  await grace.open('/settings')
  await grace.page.getByText('Only administrators can change this.').waitFor()
  expect(await grace.page.getByRole('button', { name: 'Delete organization…' }).count()).toBe(0)

  await member.open('/settings')
  await page.getByRole('button', { name: 'Delete organization…' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name of the organization').fill('Harbour')
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Delete organization' }).click()
  await dialog.getByText('Type Harbour Tools to confirm.', { exact: true }).last().waitFor()
  await dialog.getByLabel('Name of the organization').fill('Harbour Tools')
  await dialog.getByRole('button', { name: 'Delete organization' }).click()
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()

  await grace.page.reload()
  await grace.page.getByRole('heading', { name: 'Sign in' }).waitFor()
  await leave(grace)
  const { response } = await clientFromNewAddress(STACK).POST('/api/v1/auth/login', {
    body: organization.login,
  })
  expect(response.status).toBe(401)
})
