import { readFile } from 'node:fs/promises'
import { unwrap } from '@whereabouts/client/client'
import type { Locator, Page } from 'playwright-core'
import { expect } from 'vitest'
import { clientFromNewAddress, newOrganization, type Organization } from '../system/organization.ts'
import { codeOf, switchCodesOn } from '../system/totp.ts'
import { expectAccessible } from './support/accessible.ts'
import { hasFocus } from './support/keyboard.ts'
import { endOtherSessions } from './support/session-end.ts'
import { STACK, takeNewAddress, test, type Visitor } from './support/visitor.fixture.ts'

const WRONG = 'This code is wrong, or was used before. Enter the one that the app shows now.'
const MENU = /^Harbour Tools, /

const codeField = (within: Page | Locator) => within.getByRole('textbox', { name: 'Code', exact: true })

/** The form then asks for a code. */
async function signInWithPassword({ page }: Visitor, { login }: Organization): Promise<void> {
  await page.getByRole('textbox', { name: 'Email' }).fill(login.email)
  await page.getByRole('textbox', { name: 'Password' }).fill(login.password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await codeField(page).waitFor()
}

async function signOut({ page }: Visitor): Promise<void> {
  await page.getByRole('button', { name: MENU }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.waitForURL('**/sign-in')
}

test('D15.2 a person sets one-time codes up, and then signs in with one that was not used before', async ({
  member,
  organization,
}) => {
  const { page } = member
  await member.open('/account')
  await page.getByText(/^One-time codes are off\./).waitFor()
  await page.getByRole('button', { name: 'Set up…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Set up one-time codes' })
  await dialog.getByRole('img', { name: 'QR code for the authenticator app' }).waitFor()
  expect(await hasFocus(codeField(dialog))).toBe(true)
  await expectAccessible(page)
  const secret = await dialog.getByLabel('Secret', { exact: true }).inputValue()
  const switchOn = dialog.getByRole('button', { name: 'Switch on' })
  await switchOn.click()
  await dialog.getByText('Enter the code that the app shows.', { exact: true }).waitFor()
  await codeField(dialog).fill('ABCDEF')
  await switchOn.click()
  await dialog.getByText('This code is wrong or too old. Enter the one that the app shows now.').waitFor()
  const first = codeOf(secret)
  await codeField(dialog).fill(first)
  await switchOn.click()

  const stored = page.getByRole('dialog', { name: 'One-time codes are on' })
  const codes = await stored.getByLabel('Recovery codes', { exact: true }).inputValue()
  expect(codes.split('\n')).toHaveLength(10)
  await expectAccessible(page)
  await stored.getByRole('button', { name: 'Copy Recovery codes' }).click()
  await expect.poll(() => page.evaluate('navigator.clipboard.readText()')).toBe(codes)
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    stored.getByRole('button', { name: 'Download as text' }).click(),
  ])
  expect(download.suggestedFilename()).toBe('whereabouts-recovery-codes.txt')
  expect(await readFile(await download.path(), 'utf8')).toContain(codes)
  const done = stored.getByRole('button', { name: 'Done' })
  await page.keyboard.press('Escape')
  expect(await done.isDisabled()).toBe(true)
  await stored.getByLabel('I have stored them').check()
  await done.click()
  await stored.waitFor({ state: 'detached' })
  await page.getByText(/^One-time codes are on\./).waitFor()

  await signOut(member)
  await signInWithPassword(member, organization)
  expect(await hasFocus(codeField(page))).toBe(true)
  expect(await page.getByRole('alert').count()).toBe(0)
  await expectAccessible(page)
  const submit = page.getByRole('button', { name: 'Sign in' })
  await submit.click()
  await page.getByText('Enter a code.', { exact: true }).waitFor()
  await codeField(page).fill(first)
  await submit.click()
  await page.getByText(WRONG, { exact: true }).waitFor()
  expect(await hasFocus(codeField(page))).toBe(true)
  expect(await page.getByRole('textbox', { name: 'Email' }).inputValue()).toBe(organization.login.email)
  await codeField(page).fill(codeOf(secret, 1))
  await submit.click()
  await page.getByRole('button', { name: MENU }).waitFor()
})

test('D15.2 each recovery code opens one session', async ({ visitor, organization }) => {
  const { page } = visitor
  const codes = (await switchCodesOn(organization.admin)).slice(0, 3)
  const submit = page.getByRole('button', { name: 'Sign in' })
  for (const [at, code] of codes.entries()) {
    await takeNewAddress(visitor)
    await visitor.open('/sign-in')
    await signInWithPassword(visitor, organization)
    await page.getByRole('button', { name: 'Use one of your recovery codes.' }).click()
    const field = page.getByRole('textbox', { name: 'Recovery code' })
    expect(await hasFocus(field)).toBe(true)
    for (const used of codes.slice(0, at)) {
      await field.fill(used)
      await submit.click()
      await page.getByText(WRONG, { exact: true }).waitFor()
      await expect.poll(() => field.inputValue()).toBe('')
    }
    await field.fill(code.toLowerCase())
    await submit.click()
    await signOut(visitor)
  }
})

test('D15.2 after too many wrong codes, the form says how long to wait', async ({
  visitor,
  organization,
}) => {
  const { page } = visitor
  await switchCodesOn(organization.admin)
  const body = { ...organization.login, code: '000000' }
  // Guesses at once may be refused for that, so the last ones come one by one, until a code would wait for minutes.
  const guess = async () => {
    const { response } = await clientFromNewAddress(STACK).POST('/api/v1/auth/login', { body })
    return Number(response.headers.get('retry-after') ?? 0)
  }
  await Promise.all(Array.from({ length: 8 }, guess))
  await expect.poll(guess, { timeout: 60_000 }).toBeGreaterThan(60)
  await takeNewAddress(visitor)
  await visitor.open('/sign-in')
  await signInWithPassword(visitor, organization)
  await codeField(page).fill('000000')
  await page.getByRole('button', { name: 'Sign in' }).click()
  const wait = page.getByRole('alert').getByText(/^Try again in \d+ seconds\.$/)
  expect(Number(/\d+/.exec(await wait.innerText())?.[0])).toBeGreaterThan(60)
})

test('D15.2 a person switches codes off with password and code', async ({ member, organization }) => {
  const { page } = member
  const [code = ''] = await switchCodesOn(organization.admin)
  await member.open('/account')
  await page.getByRole('button', { name: 'Switch off…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Switch off one-time codes' })
  const password = dialog.getByRole('textbox', { name: 'Password' })
  const submit = dialog.getByRole('button', { name: 'Switch off' })
  await expectAccessible(page)
  await submit.click()
  await dialog.getByText('Enter your password.', { exact: true }).waitFor()
  await dialog.getByText('Enter a code.', { exact: true }).waitFor()
  await password.fill('not the password')
  await codeField(dialog).fill(code)
  await submit.click()
  await dialog.getByText('This is not your password.', { exact: true }).waitFor()
  await password.fill(organization.login.password)
  await codeField(dialog).fill('ABCD-EFGH-IJKL-MN23')
  await submit.click()
  await dialog.getByText(WRONG, { exact: true }).waitFor()
  await codeField(dialog).fill(code)
  await submit.click()
  await dialog.waitFor({ state: 'detached' })
  await page.getByText(/^One-time codes are off\./).waitFor()
  const answer = await clientFromNewAddress(STACK).POST('/api/v1/auth/login', { body: organization.login })
  expect(answer.response.status).toBe(200)
})

test('D15.2 over the screen of an expired session, one signs in with a code too', async ({
  member,
  organization,
}) => {
  const { page } = member
  const [code = ''] = await switchCodesOn(organization.admin)
  await member.open('/account')
  await page.getByLabel('Your name').fill('Ada Lovelace')
  await endOtherSessions(organization)
  const dialog = page.getByRole('dialog', { name: 'Sign in again' })
  const submit = dialog.getByRole('button', { name: 'Sign in' })
  await dialog.getByRole('textbox', { name: 'Password' }).fill(organization.login.password)
  await submit.click()
  await codeField(dialog).waitFor()
  expect(await hasFocus(codeField(dialog))).toBe(true)
  await expectAccessible(page)
  await codeField(dialog).fill('ABCD-EFGH-IJKL-MN23')
  await submit.click()
  await dialog.getByText(WRONG, { exact: true }).waitFor()
  await codeField(dialog).fill(code)
  await submit.click()
  await dialog.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Save name' }).click()
  await page.getByRole('button', { name: 'Harbour Tools, Ada Lovelace: menu' }).waitFor()
})

test('D15.2 somebody with codes accepts an invitation with one', async ({ visitor, organization }) => {
  const { page } = visitor
  const { email, password } = organization.login
  const [code = ''] = await switchCodesOn(organization.admin)
  const other = await newOrganization(STACK, 'Other Works')
  const invited = await other.admin.POST('/api/v1/orgs/{org_id}/invitations', {
    params: { path: { org_id: other.id } },
    body: { email, role: 'member' },
  })
  await visitor.open(`/accept-invitation#token=${unwrap(invited).data.token}`)
  await page.getByRole('radio', { name: 'I have an account with this email address' }).check()
  await page.getByRole('textbox', { name: 'Password' }).fill(password)
  const join = page.getByRole('button', { name: 'Join' })
  await join.click()
  await codeField(page).waitFor()
  expect(await hasFocus(codeField(page))).toBe(true)
  await expectAccessible(page)
  await codeField(page).fill('ABCD-EFGH-IJKL-MN23')
  await join.click()
  await page.getByText(WRONG, { exact: true }).waitFor()
  await codeField(page).fill(code)
  await join.click()
  await page.getByRole('button', { name: /^Other Works, / }).waitFor()
})
