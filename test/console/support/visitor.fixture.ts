import type { Browser, BrowserContext, Page } from 'playwright-core'
import { inject, onTestFailed, test as base } from 'vitest'
import { launchBrowser } from '../../system/browser.ts'
import { newOrganization, type Organization } from '../../system/organization.ts'

export type Visitor = {
  page: Page
  context: BrowserContext
  /** Exceptions and console errors, such as violations of the content security policy. */
  problems: string[]
  /** Opens a path of the console. */
  open: (path: string) => Promise<void>
}

type Fixtures = {
  browser: Browser
  /** Not signed in. */
  visitor: Visitor
  organization: Organization
  /** Signed in as the administrator of `organization`. */
  member: Visitor
}

const { base: BASE } = inject('console')
/** Target of the helpers in `test/system`. */
export const STACK = { urls: inject('console') }

/**
 * Console errors of a page that is left while loading. Screens show missing scripts and failed responses themselves.
 */
const ABORTED_LOAD = /^Failed to load resource|dynamically imported module|Unable to preload CSS/

/** A page in its own profile, with the viewport of a laptop. */
export async function newVisitor(browser: Browser, timezoneId = 'Europe/Berlin'): Promise<Visitor> {
  const context = await browser.newContext({
    baseURL: BASE,
    viewport: { width: 1280, height: 900 },
    reducedMotion: 'reduce',
    locale: 'en-GB',
    timezoneId,
    permissions: ['clipboard-read', 'clipboard-write'],
    extraHTTPHeaders: { 'x-forwarded-for': anyAddress() },
  })
  const page = await context.newPage()
  page.setDefaultTimeout(30_000)
  const problems: string[] = []
  const report = (text: string) => {
    if (!ABORTED_LOAD.test(text)) problems.push(text)
  }
  context.on('weberror', (each) => report(each.error().message))
  context.on('console', (message) => {
    if (message.type() === 'error') report(message.text())
  })
  const failures: string[] = []
  context.on('response', (answer) => {
    if (answer.status() >= 400)
      failures.push(`${answer.status()} ${answer.request().method()} ${answer.url()}`)
  })
  context.on('requestfailed', (sent) =>
    failures.push(`${sent.failure()?.errorText} ${sent.method()} ${sent.url()}`),
  )
  onTestFailed(async () => {
    console.log(await lastSeen(page), failures.slice(-20), problems)
  })
  return {
    page,
    context,
    problems,
    open: async (path) => {
      await page.goto(path)
    },
  }
}

async function lastSeen(page: Page): Promise<string> {
  if (page.isClosed()) return 'The page is closed'
  return `The page at ${page.url()} shows:\n${await page.locator('body').innerText()}`
}

/** For a visitor who signs in more often than one address may. */
export const takeNewAddress = ({ context }: Visitor): Promise<void> =>
  context.setExtraHTTPHeaders({ 'x-forwarded-for': anyAddress() })

/** Sign-in attempts are limited by address: each visitor has its own. */
const anyAddress = () => `10.${Array.from({ length: 3 }, () => Math.floor(Math.random() * 256)).join('.')}`

/** Gets the session cookie without the form: only the tests of signing in use the form. */
export async function signIn(
  { context }: Visitor,
  { email, password }: Organization['login'],
): Promise<void> {
  const headers = { 'sec-fetch-site': 'same-origin' }
  const response = await context.request.post('/session/sign-in', { data: { email, password }, headers })
  if (!response.ok()) throw new Error(`sign-in failed with status ${response.status()}`)
}

/**
 * Closes the visitor's context. Fails if the page reported a problem. An answer that a test holds back or changes may
 * still be under way: it has nowhere to go any more, which is no error. A page may close meanwhile.
 */
export async function leave({ context, problems }: Visitor): Promise<void> {
  await Promise.allSettled(context.pages().map((page) => page.unrouteAll({ behavior: 'ignoreErrors' })))
  await context.close()
  if (problems.length > 0) throw new Error(`the page reported:\n${problems.join('\n')}`)
}

export const test = base.extend<Fixtures>({
  browser: [
    async ({}, use) => {
      const browser = await launchBrowser()
      await use(browser)
      await browser.close()
    },
    { scope: 'worker' },
  ],
  visitor: async ({ browser }, use) => {
    const visitor = await newVisitor(browser)
    await use(visitor)
    await leave(visitor)
  },
  organization: async ({}, use) => use(await newOrganization(STACK, 'Harbour Tools')),
  member: async ({ browser, organization }, use) => {
    const visitor = await newVisitor(browser)
    await signIn(visitor, organization.login)
    await use(visitor)
    await leave(visitor)
  },
})
