import { createClient, unwrap } from '@whereabouts/client/client'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { clientFromNewAddress, newOrganization, type Organization } from '../system/organization.ts'
import { expectAccessible } from './support/accessible.ts'
import { STACK, test } from './support/visitor.fixture.ts'

const SELECTED = `(({ value, selectionStart, selectionEnd }) => value.slice(selectionStart, selectionEnd))(
  document.querySelector('[data-secret]'))`
const SIGN_IN = /\/sign-in(?:$|\?)/

/** The paths that the page sends changes to from now on. */
function sentFrom(page: Page): string[] {
  const sent: string[] = []
  page.on('request', (request) => {
    if (request.method() !== 'GET') sent.push(new URL(request.url()).pathname)
  })
  return sent
}

test('C6 sign-up checks the form in its own words, creates an organization and leads to Getting started', async ({
  visitor,
  organization,
}) => {
  const { page } = visitor
  await visitor.open('/sign-up')
  await page.getByText(new URL(STACK.urls.base).host).waitFor()
  await page.getByText('At least 10 characters').waitFor()
  await expectAccessible(page)
  const sent = sentFrom(page)
  const create = page.getByRole('button', { name: 'Create organization' })
  await create.click()
  for (const message of [
    'Enter the name of your organization.',
    'Enter your name.',
    'Enter an email address.',
  ])
    await page.getByText(message, { exact: true }).waitFor()
  await page.getByText('Choose a password.', { exact: true }).waitFor()
  await page.getByLabel('Organization').fill('Northern Cranes')
  await page.getByLabel('Your name').fill('Ada')
  await page.getByRole('textbox', { name: 'Email' }).fill(organization.login.email)
  await page.getByRole('textbox', { name: 'Password' }).fill('short')
  await create.click()
  await page.getByText('Use at least 10 characters.', { exact: true }).waitFor()
  expect(await page.getByRole('alert').count()).toBe(0)
  expect(sent).toEqual([])
  await page.getByRole('textbox', { name: 'Password' }).fill('long enough, surely')
  await create.click()
  const taken = page.getByRole('alert')
  await taken.getByText('This email address already has an account').waitFor()
  expect(await taken.innerText()).not.toMatch(/Request|Conflict|org_name/)
  await page.getByRole('textbox', { name: 'Email' }).fill(`ada-${Date.now()}@cranes.example`)
  await create.click()
  await page.waitForURL('**/start')
  await page.getByRole('button', { name: /^Northern Cranes, / }).waitFor()
})

test('C7 sign-in says what is wrong, leads to the requested screen, and a reload keeps the session', async ({
  visitor,
  organization,
}) => {
  const { page } = visitor
  await visitor.open('/members')
  await page.waitForURL(SIGN_IN)
  await page.getByText(new URL(STACK.urls.base).host).waitFor()
  await expectAccessible(page)
  const sent = sentFrom(page)
  const submit = page.getByRole('button', { name: 'Sign in' })
  await submit.click()
  await page.getByText('Enter your email address.', { exact: true }).waitFor()
  await page.getByText('Enter your password.', { exact: true }).waitFor()
  expect(sent).toEqual([])
  await page.getByRole('textbox', { name: 'Email' }).fill(organization.login.email)
  await page.getByRole('textbox', { name: 'Password' }).fill('not the password')
  await submit.click()
  const wrong = page.getByRole('alert')
  await wrong.getByText('Email or password is wrong', { exact: true }).waitFor()
  expect(await wrong.innerText()).not.toMatch(/Request|Authentication/)
  await expect
    .poll(() => page.getByRole('textbox', { name: 'Email' }).inputValue())
    .toBe(organization.login.email)
  await page.getByRole('textbox', { name: 'Password' }).fill(organization.login.password)
  await submit.click()
  await page.waitForURL('**/members')
  await page.getByRole('cell', { name: /Ada/ }).first().waitFor()
  await page.reload()
  await page.getByRole('button', { name: /^Harbour Tools, / }).waitFor()
})

test('C7 too many attempts: the page says how long to wait', async ({ visitor, organization }) => {
  const { page, context } = visitor
  const headers = { 'sec-fetch-site': 'same-origin' }
  const attempt = () =>
    context.request.post('/session/accept-invitation', { data: { token: 'made-up' }, headers })
  await Promise.all(Array.from({ length: 30 }, attempt))
  await visitor.open('/sign-in')
  await page.getByRole('textbox', { name: 'Email' }).fill(organization.login.email)
  await page.getByRole('textbox', { name: 'Password' }).fill(organization.login.password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page
    .getByRole('alert')
    .getByText(/^Try again in (?:a second|\d+ seconds)\.$/)
    .waitFor()
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
  await page.getByRole('textbox', { name: 'Email' }).fill(organization.login.email)
  await page.getByRole('textbox', { name: 'Password' }).fill(organization.login.password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.waitForURL('**/api-keys')
  await page.reload()
  await page.getByRole('button', { name: /^Harbour Tools, / }).waitFor()
  await page.goto(`${away.origin}/webhooks`)
  await page.getByRole('button', { name: 'New webhook' }).click()
  await page.getByRole('textbox', { name: 'URL' }).fill('https://example.com/hook')
  await page.getByRole('button', { name: 'Create webhook' }).click()
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
  const answer = await page.evaluate(async () => {
    const headers = { 'content-type': 'application/json' }
    return (await fetch('/session/refresh', { method: 'POST', headers, body: '{}' })).status
  })
  expect(answer).toBe(204) // no session
})

/** The same for an address with and without an account. */
const WRONG_CHOICE = 'The password or your choice is wrong'

test('C23 an invitation says what it is; signed in, one joins with one click and switches back', async ({
  member,
  organization,
}) => {
  const second = await newOrganization(STACK, 'Other Works')
  const token = await invite(second, organization.login.email)
  const { page } = member
  await member.open(`/accept-invitation#token=${token}`)
  await page.getByRole('heading', { name: 'Join Other Works' }).waitFor()
  await page.getByText(`Ada invites ${organization.login.email} to Other Works as Member`).waitFor()
  await page.getByText(`You are signed in as Ada (${organization.login.email}).`).waitFor()
  expect(await page.getByRole('textbox').count()).toBe(0)
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Join' }).click()
  await page.getByRole('button', { name: /^Other Works, / }).click()
  await page.getByText('Ada · Member of Other Works').waitFor()
  await page.getByRole('menuitem', { name: 'Harbour Tools' }).click()
  await page.getByRole('button', { name: /^Harbour Tools, / }).waitFor()
})

test('C23 signed in as somebody else, one is told and signs out first; one says whether one has an account', async ({
  member,
  organization,
}) => {
  const second = await newOrganization(STACK, 'Other Works')
  const third = await newOrganization(STACK, 'Third Works')
  const token = await invite(third, second.login.email)
  const { page } = member
  await member.open(`/accept-invitation#token=${token}`)
  await page.getByText(`You are signed in as Ada (${organization.login.email}), but`).waitFor()
  await page.getByRole('button', { name: 'Sign out and continue' }).click()
  await page.getByRole('radio', { name: 'I am new' }).waitFor()
  await page.getByLabel('Your name').fill('Eve')
  await page.getByRole('textbox', { name: 'Password' }).fill('not the password')
  await page.getByRole('button', { name: 'Join' }).click()
  await page.getByRole('alert').getByText(WRONG_CHOICE, { exact: true }).waitFor()
  await page.getByRole('radio', { name: 'I have an account with this email address' }).check()
  expect(await page.getByLabel('Your name').count()).toBe(0)
  await expect.poll(() => page.getByRole('textbox', { name: 'Email' }).inputValue()).toBe(second.login.email)
  await page.getByRole('textbox', { name: 'Password' }).fill('')
  await page.getByRole('button', { name: 'Join' }).click()
  await page.getByText('Enter your password.', { exact: true }).waitFor()
  await page.getByRole('textbox', { name: 'Password' }).fill('not the password')
  await page.getByRole('button', { name: 'Join' }).click()
  await page.getByRole('alert').getByText(WRONG_CHOICE, { exact: true }).waitFor()
  await expectAccessible(page)
  await page.getByRole('textbox', { name: 'Password' }).fill(second.login.password)
  await page.getByRole('button', { name: 'Join' }).click()
  await page.getByRole('button', { name: /^Third Works, / }).waitFor()
  await member.open('/accept-invitation#token=made-up')
  await page.reload() // the address before differs only in its fragment
  await page.getByText('This invitation does not work any more').waitFor()
})

test('with several organizations, one chooses after signing in, and signs in again to the same one', async ({
  visitor,
  organization,
}) => {
  const second = await newOrganization(STACK, 'Other Works')
  const { email, password } = organization.login
  const token = await invite(second, email)
  await clientFromNewAddress(STACK).POST('/api/v1/auth/accept-invitation', { body: { token, password } })
  const { page } = visitor
  await visitor.open('/sign-in?to=/members')
  await page.getByRole('textbox', { name: 'Email' }).fill(email)
  await page.getByRole('textbox', { name: 'Password' }).fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { name: 'Choose an organization' }).waitFor()
  await page.getByRole('button', { name: 'Harbour Tools Administrator' }).waitFor()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Other Works Member' }).click()
  await page.getByRole('button', { name: /^Other Works, / }).waitFor()
  // The session ends, and with it the live feed: the page asks again, over the screen.
  await visitor.open('/account')
  await page.getByLabel('Your name').fill('Ada Lovelace')
  await endAllSessions(email, password)
  const again = page.getByRole('dialog')
  await again.getByRole('textbox', { name: 'Password' }).fill('not the password')
  await again.getByRole('button', { name: 'Sign in' }).click()
  await again.getByRole('alert').getByText('The password is wrong', { exact: true }).waitFor()
  await expectAccessible(page)
  await again.getByRole('textbox', { name: 'Password' }).fill(password)
  await again.getByRole('button', { name: 'Sign in' }).click()
  await again.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Save name' }).click()
  await page.getByRole('button', { name: 'Other Works, Ada Lovelace: menu' }).waitFor()
})

const invite = async (to: Organization, email: string): Promise<string> => {
  const { data } = await to.admin.POST('/api/v1/orgs/{org_id}/invitations', {
    params: { path: { org_id: to.id } },
    body: { email, role: 'member' },
  })
  return data?.data.token ?? ''
}

/** As somebody does in another browser. */
async function endAllSessions(email: string, password: string): Promise<void> {
  const anyone = clientFromNewAddress(STACK)
  const { access_token } = unwrap(await anyone.POST('/api/v1/auth/login', { body: { email, password } })).data
  const own = createClient({ baseUrl: STACK.urls.base, token: access_token })
  const { data } = unwrap(await own.GET('/api/v1/users/me/sessions', { params: { query: { limit: 200 } } }))
  for (const { id } of data.filter(({ current }) => !current))
    await own.DELETE('/api/v1/users/me/sessions/{session_id}', { params: { path: { session_id: id } } })
}

test('signed out, a page loads without an error in the console', async ({ visitor }) => {
  const { page, context } = visitor
  const refused: string[] = []
  context.on('response', (response) => {
    if (response.status() >= 400) refused.push(`${response.status()} ${response.url()}`)
  })
  for (const path of ['/sign-in', '/', '/sign-up']) {
    await visitor.open(path)
    await page.getByRole('heading', { level: 1 }).waitFor()
    await page.waitForLoadState('networkidle')
  }
  expect(refused).toEqual([])
})

test('a session that the server refuses leads to the sign-in page in two tabs, and is then forgotten', async ({
  visitor,
}) => {
  const { page, context } = visitor
  const { hostname } = new URL(STACK.urls.base)
  const stale = { name: 'whereabouts_session', value: 'no-longer-valid', domain: hostname, path: '/session' }
  await context.addCookies([{ ...stale, httpOnly: true, sameSite: 'Strict' }])
  const other = await context.newPage()
  await Promise.all([visitor.open('/'), other.goto('/assets')])
  for (const tab of [page, other]) await tab.getByRole('heading', { name: 'Sign in' }).waitFor()
  expect(await context.cookies(`${STACK.urls.base}/session/refresh`)).toEqual([])
})
