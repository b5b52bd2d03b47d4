import type { Page, Route } from 'playwright-core'
import { expect } from 'vitest'
import type { Organization } from '../system/organization.ts'
import { saved } from './support/moves.ts'
import { screensOf } from './support/screens.ts'
import { leave, newVisitor, signIn, test, type Visitor } from './support/visitor.fixture.ts'

/** Screens wait more than they compute: several lanes take them in turn. */
const LANES = 3
const inLanes = (paths: readonly string[], work: (paths: readonly string[]) => Promise<void>) =>
  Promise.all(
    Array.from({ length: LANES }, (_, lane) => work(paths.filter((_path, i) => i % LANES === lane))),
  )

const API = '**/api/v1/**'
const REQUEST_ID = 'request-of-the-states-test'
const envelope = (type: string, title: string, status: number) => ({
  status,
  json: { error: { type, title, status, detail: title, instance: '/', request_id: REQUEST_ID } },
})

test('every screen shows loading, a failure with the request ID, and a retry', async ({
  member,
  organization,
}) => {
  const { page } = member
  const screens = await screensOf(organization)
  await member.open('/')
  const menu = page.getByRole('navigation', { name: 'Main menu' })
  await menu.getByRole('link', { name: 'Members' }).waitFor()
  const links = await menu.getByRole('link').all()
  const inMenu = await Promise.all(links.map((link) => link.getAttribute('href')))
  expect(inMenu).toHaveLength(11)
  expect(inMenu.filter((href) => !screens.some(({ path }) => path === href))).toEqual([])

  const loading = screens.filter(({ loads }) => loads).map(({ path }) => path)
  await inLanes(loading, async (paths) => {
    const tab = await member.context.newPage()
    for (const path of paths) await expectLoadingFailureAndRetry(tab, path)
  })
})

async function expectLoadingFailureAndRetry(page: Page, path: string): Promise<void> {
  const held = Promise.withResolvers<void>()
  await page.route(API, async (route) => {
    await held.promise
    await route.fulfill(envelope('forbidden', 'Not for now', 403)).catch(() => undefined)
  })
  await page.goto(path)
  await page
    .getByRole('status')
    .getByText(/^Loading /)
    .first()
    .waitFor()
  held.resolve()
  await page.getByRole('alert').getByText(REQUEST_ID).first().waitFor()
  await page.unrouteAll({ behavior: 'wait' })
  const retry = page.getByRole('button', { name: 'Try again' })
  await expect
    .poll(async () => {
      if ((await retry.count()) > 0) await retry.first().click()
      return page.getByRole('alert').count()
    })
    .toBe(0)
}

test('a reload shows progress and keeps the earlier rows', async ({ member, organization }) => {
  const { page } = member
  await saved(organization, 'Crane')
  await member.open('/assets')
  await page.getByRole('link', { name: 'Crane' }).waitFor()
  const held = Promise.withResolvers<void>()
  await page.route('**/api/v1/assets?*', async (route) => {
    await held.promise
    await route.continue()
  })
  await page.getByLabel('Search').fill('nothing of the kind')
  await page.getByRole('progressbar', { name: 'Loading' }).waitFor()
  expect(await page.getByRole('link', { name: 'Crane' }).isVisible()).toBe(true)
  held.resolve()
  await page.getByText('No matching assets').waitFor()
  await page.getByRole('progressbar', { name: 'Loading' }).waitFor({ state: 'detached' })
})

test('on every screen, people sign in again over it after the session ends', async ({
  browser,
  organization,
}) => {
  const paths = (await screensOf(organization)).map(({ path }) => path)
  await inLanes(paths, async (some) => {
    const visitor = await newVisitor(browser)
    await signIn(visitor, organization.login)
    for (const path of some) await expectSignInAgain(visitor, organization, path)
    await leave(visitor)
  })
})

async function expectSignInAgain(visitor: Visitor, { login }: Organization, path: string): Promise<void> {
  const { page } = visitor
  await endSession(visitor)
  await visitor.open(path)
  const dialog = page.getByRole('dialog', { name: 'Sign in again' })
  await dialog.waitFor()
  await page.unrouteAll({ behavior: 'wait' })
  await dialog.getByRole('textbox', { name: 'Password' }).fill(login.password)
  await dialog.getByRole('button', { name: 'Sign in' }).click()
  await dialog.waitFor({ state: 'detached' })
  await page.getByRole('heading', { level: 1 }).waitFor()
  await expect.poll(() => page.getByRole('alert').allTextContents()).toEqual([])
  expect(new URL(page.url()).pathname).toBe(path)
}

test('offline, every screen of the menu opens and says so; back online it loads', async ({ member }) => {
  const { page, context } = member
  await member.open('/')
  const menu = page.getByRole('navigation', { name: 'Main menu' })
  await menu.getByRole('link', { name: 'Members' }).waitFor()
  const names = (await menu.getByRole('link').allTextContents()).filter((name) => name !== 'Overview')
  await expect.poll(() => page.evaluate<string>(SCRIPTS), { timeout: 10_000 }).toMatch(/\/static\/members-/)
  let before = ''
  const isComplete = async () => before === (before = await page.evaluate<string>(SCRIPTS))
  await expect.poll(isComplete, { interval: 500, timeout: 10_000 }).toBe(true)
  await context.setOffline(true)
  for (const name of names) {
    await menu.getByRole('link', { name }).click()
    await page.locator('a[aria-current=page]').filter({ hasText: name }).waitFor()
    await page.getByRole('status').filter({ hasText: 'You are offline' }).first().waitFor()
    await page.getByRole('heading', { level: 1 }).waitFor()
    expect([name, await page.getByText('could not be loaded').count()]).toEqual([name, 0])
  }
  await context.setOffline(false)
  await expect.poll(() => page.getByText('You are offline').count()).toBe(0)
  await page.getByRole('cell', { name: /Ada/ }).waitFor()
})

/** The addresses of the scripts loaded so far. */
const SCRIPTS = `performance.getEntriesByType('resource').map(({ name }) => name).join(' ')`

/** Refuses the token of every request and deletes the cookie. */
async function endSession({ page, context }: Visitor): Promise<void> {
  await page.goto('about:blank') // otherwise requests of the previous page are refused
  await page.route(API, async (route: Route) => {
    await context.clearCookies()
    await route.fulfill(envelope('unauthorized', 'Authentication required', 401)).catch(() => undefined)
  })
}
