import { unwrap } from '@whereabouts/client/client'
import type { Stack } from '@whereabouts/deploy/workshop/stack/stack'
import { expect } from 'vitest'
import { mailedToken } from '../system/mail.ts'
import { clientFromNewAddress, newOrganization, type Organization } from '../system/organization.ts'
import { startProvider, type TestProvider } from '../system/provider.ts'
import { startSystem } from '../system/system.ts'
import { expectAccessible } from './support/accessible.ts'
import { endOtherSessions } from './support/session-end.ts'
import { test as base, type Visitor } from './support/visitor.fixture.ts'

const WORKED_NOT = 'Single sign-on did not work'
const MENU = /^Harbour Tools, /

/** Other tests share a system without a provider. */
const test = base.extend<{ installation: { stack: Stack; provider: TestProvider } }>({
  installation: [
    async ({}, use) => {
      const provider = await startProvider()
      const system = await startSystem({ keys: provider.env })
      await use({ stack: system.stack, provider })
      await system.stop()
      await provider.stop()
    },
    { scope: 'file' },
  ],
})

/** An organization whose administrator has confirmed the address, so that a sign-on finds the account. */
async function confirmedOrganization(stack: Stack): Promise<Organization> {
  const organization = await newOrganization(stack, 'Harbour Tools')
  const token = await mailedToken(stack.urls.mail, organization.login.email, 'Confirm your e-mail address')
  unwrap(await clientFromNewAddress(stack).POST('/api/v1/auth/verify', { body: { token } }))
  return organization
}

/** What the provider says of the administrator. */
const personOf = ({ id, login }: Organization) => ({
  sub: `ada-${id}`,
  email: login.email,
  email_verified: true,
})

const start = ({ page }: Visitor) => page.getByRole('link', { name: 'Sign in with single sign-on' })

test('D15.5 a sign-on opens a session, and its code is gone before the page requests anything', async ({
  visitor,
  installation: { stack, provider },
}) => {
  const { page } = visitor
  provider.comes(personOf(await confirmedOrganization(stack)))
  for (const _ of [1, 2, 3]) {
    await page.goto(`${stack.urls.base}/sign-in`)
    await start(visitor).waitFor()
    await expectAccessible(page)
    const seen: unknown[] = []
    await page.route('**/session/*', async (route) => {
      seen.push([new URL(route.request().url()).pathname, await page.evaluate('location.hash')])
      await route.continue()
    })
    await start(visitor).click()
    await page.getByRole('button', { name: MENU }).waitFor()
    await page.unrouteAll({ behavior: 'wait' })
    expect(new URL(page.url()).hash).toBe('')
    expect(seen).toEqual([
      ['/session/refresh', ''],
      ['/session/sign-on', ''],
    ])
    await page.getByRole('button', { name: MENU }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await page.waitForURL('**/sign-in')
  }
})

test('D15.5 the sign-in screen says why a sign-on failed, and a reload shows it as new', async ({
  visitor,
  installation: { stack, provider },
}) => {
  const { page } = visitor
  const failure = page.getByRole('alert').filter({ hasText: WORKED_NOT })
  const cases = [
    { person: undefined, text: /^The sign-on provider did not let you in\. Try again, or ask/ },
    {
      person: { sub: 'eve', email: 'eve@example.com' },
      text: /^You are in no group that may sign in here\./,
    },
    {
      person: personOf(await newOrganization(stack, 'Harbour Tools')),
      text: /^An account has your email address, but nobody has confirmed it\. Sign in with the password/,
    },
  ]
  for (const { person, text } of cases) {
    provider.comes(person)
    await page.goto(`${stack.urls.base}/sign-in`)
    await start(visitor).click()
    await failure.getByText(text).waitFor()
    await expectAccessible(page)
    await page.reload()
    await start(visitor).waitFor()
    expect(await failure.count()).toBe(0)
  }
})

test('D15.5 a code of another browser opens nothing, and a reload shows a clean form', async ({
  visitor,
  installation: { stack },
}) => {
  const { page } = visitor
  await page.goto(`${stack.urls.base}/sign-in?to=/members#sign_on=made-up`)
  await page.getByRole('alert').getByText('It took too long, or started in another window.').waitFor()
  expect(page.url()).toBe(`${stack.urls.base}/sign-in?to=/members`)
  await page.reload()
  await page.getByRole('textbox', { name: 'Email' }).waitFor()
  expect(await page.getByRole('alert').count()).toBe(0)
})

async function invite({ admin, id }: Organization): Promise<string> {
  const params = { path: { org_id: id } }
  const body = { email: 'grace@example.com', role: 'member' } as const
  return unwrap(await admin.POST('/api/v1/orgs/{org_id}/invitations', { params, body })).data.token
}

/** As an installation with `OIDC_REQUIRED`. There is no sign-up at one, and so no organization for a test. */
const requireSignOn = ({ context }: Visitor) =>
  context.route('**/api/v1/auth/oidc', (route) =>
    route.fulfill({ json: { data: { enabled: true, required: true } } }),
  )

test('D15.5 where single sign-on is the only way in, the screen offers nothing else and says why', async ({
  visitor,
  installation: { stack },
}) => {
  const { page } = visitor
  const token = await invite(await newOrganization(stack, 'Harbour Tools'))
  await requireSignOn(visitor)
  await page.goto(`${stack.urls.base}/accept-invitation#token=${token}`)
  await page.getByText('Sign in first. Then open the link of the invitation again.').waitFor()
  await start(visitor).waitFor()
  expect(await page.getByRole('textbox').count()).toBe(0)
  await expectAccessible(page)
  await page.goto(`${stack.urls.base}/sign-in`)
  await start(visitor).waitFor()
  await page.getByText(/^People sign in here with the sign-on provider of their company/).waitFor()
  expect(await page.getByRole('textbox').count()).toBe(0)
  expect(await page.getByRole('link', { name: /Sign up|Forgot password/ }).count()).toBe(0)
  await expectAccessible(page)
})

test('D15.5 over the screen of an expired session, one signs on in another tab and goes on', async ({
  visitor,
  installation: { stack, provider },
}) => {
  const { page, context } = visitor
  const organization = await confirmedOrganization(stack)
  provider.comes(personOf(organization))
  await requireSignOn(visitor)
  await page.goto(`${stack.urls.base}/sign-in?to=/account`)
  await start(visitor).click()
  await page.getByRole('button', { name: MENU }).waitFor()
  await page.goto(`${stack.urls.base}/account`)
  await page.getByLabel('Your name').fill('Ada Lovelace')
  await endOtherSessions(organization)
  const dialog = page.getByRole('dialog', { name: 'Sign in again' })
  await dialog.waitFor()
  expect(await dialog.getByRole('textbox').count()).toBe(0)
  await expectAccessible(page)
  const [other] = await Promise.all([context.waitForEvent('page'), start(visitor).click()])
  await other.getByRole('button', { name: MENU }).waitFor()
  await dialog.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Save name' }).click()
  await page.getByRole('button', { name: 'Harbour Tools, Ada Lovelace: menu' }).waitFor()
})
