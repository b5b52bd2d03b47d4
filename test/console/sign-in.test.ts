import { expect } from 'vitest'
import { newOrganization } from '../system/organization.ts'
import { expectAccessible } from './support/accessible.ts'
import { STACK, test } from './support/visitor.fixture.ts'

const SELECTED = `(({ value, selectionStart, selectionEnd }) => value.slice(selectionStart, selectionEnd))(
  document.querySelector('input[data-secret]'))`
const SIGN_IN = /\/sign-in(?:$|\?)/

test('sign-up creates an organization and leads to Getting started', async ({ visitor }) => {
  const { page } = visitor
  await visitor.open('/sign-up')
  await expectAccessible(page)
  await visitor.picture('sign-up')
  await page.getByLabel('Organization').fill('Northern Cranes')
  await page.getByLabel('Your name').fill('Ada')
  await page.getByLabel('Email').fill(`ada-${Date.now()}@cranes.example`)
  await page.getByRole('textbox', { name: 'Password' }).fill('short')
  await page.getByRole('button', { name: 'Create organization' }).click()
  await page
    .getByText(/at least 10 characters/)
    .first()
    .waitFor()
  await page.getByRole('textbox', { name: 'Password' }).fill('long enough, surely')
  await page.getByRole('button', { name: 'Create organization' }).click()
  await page.waitForURL('**/start')
  await page.getByRole('button', { name: /^Northern Cranes, / }).waitFor()
})

test('sign-in leads to the requested screen, and a reload keeps the session', async ({
  visitor,
  organization,
}) => {
  const { page } = visitor
  await visitor.open('/members')
  await page.waitForURL(SIGN_IN)
  await expectAccessible(page)
  await visitor.picture('sign-in')
  await page.getByLabel('Email').fill(organization.login.email)
  await page.getByRole('textbox', { name: 'Password' }).fill('not the password')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page
    .getByRole('alert')
    .getByText(/Request/)
    .waitFor()
  await page.getByRole('textbox', { name: 'Password' }).fill(organization.login.password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.waitForURL('**/members')
  await page.getByRole('cell', { name: /Ada/ }).first().waitFor()
  await page.reload()
  await page.getByRole('button', { name: /^Harbour Tools, / }).waitFor()
})

test('no script can read the refresh token', async ({ member }) => {
  await member.open('/')
  await member.page.getByRole('button', { name: /^Harbour Tools, / }).waitFor()
  expect(await member.page.evaluate('document.cookie')).toBe('')
  const [cookie] = await member.context.cookies(`${STACK.urls.base}/session/refresh`)
  expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Strict', path: '/session' })
  const stored = await member.page.evaluate<string>(
    `[localStorage, sessionStorage].flatMap((storage) => Object.values({ ...storage })).join(' ')`,
  )
  expect(stored).not.toContain(cookie?.value)
  expect(stored).not.toMatch(/eyJ/)
})

test('over plain HTTP from another machine, sign-in works, lasts, and secrets are copied by hand', async ({
  visitor,
  organization,
}) => {
  const { page } = visitor
  const away = new URL(STACK.urls.base)
  away.hostname = 'plain.example'
  await page.goto(`${away.origin}/api-keys`)
  expect(await page.evaluate('isSecureContext')).toBe(false)
  await page.getByLabel('Email').fill(organization.login.email)
  await page.getByRole('textbox', { name: 'Password' }).fill(organization.login.password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.waitForURL('**/api-keys')
  await page.reload()
  await page.getByRole('button', { name: /^Harbour Tools, / }).waitFor()
  await page.goto(`${away.origin}/webhook`)
  await page.getByLabel('URL').fill('https://example.com/hook')
  await page.getByRole('button', { name: 'Register' }).click()
  const secret = await page.getByLabel('Signing secret', { exact: true }).inputValue()
  await page.getByRole('button', { name: 'Copy Signing secret' }).click()
  await expect.poll(() => page.evaluate(SELECTED)).toBe(secret)
  await page.getByLabel('I have stored it').check()
  // The browser reports only a header that it ignores over HTTP.
  const reported = visitor.problems.splice(0)
  expect(reported.filter((text) => !text.startsWith('The Cross-Origin-Opener-Policy header'))).toEqual([])
})

test('sign-out ends the session in every tab', async ({ member }) => {
  const { page, context } = member
  await member.open('/')
  const other = await context.newPage()
  await other.goto('/members')
  await other.getByRole('button', { name: /^Harbour Tools, / }).waitFor()
  await page.getByRole('button', { name: /^Harbour Tools, / }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.waitForURL('**/sign-in')
  await other.waitForURL(SIGN_IN)
  const refused = await page.evaluate(async () => {
    const headers = { 'content-type': 'application/json' }
    return (await fetch('/session/refresh', { method: 'POST', headers, body: '{}' })).status
  })
  expect(refused).toBe(401)
})

test('a switch shows only the other organization', async ({ member, organization }) => {
  const second = await newOrganization(STACK, 'Other Works')
  const { data } = await second.admin.POST('/api/v1/orgs/{org_id}/invitations', {
    params: { path: { org_id: second.id } },
    body: { email: organization.login.email, role: 'member' },
  })
  const { page } = member
  await member.open(`/accept-invitation#token=${data?.data.token ?? ''}`)
  await expectAccessible(page)
  await member.picture('accept-invitation')
  await page.getByRole('textbox', { name: 'Password' }).fill(organization.login.password)
  await page.getByRole('button', { name: 'Join' }).click()
  await page.getByRole('button', { name: /^Other Works, / }).click()
  await page.getByRole('menuitem', { name: 'Harbour Tools' }).click()
  await page.getByRole('button', { name: /^Harbour Tools, / }).waitFor()
})
