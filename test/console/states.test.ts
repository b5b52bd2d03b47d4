import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { saved } from './support/moves.ts'
import { API, envelope, REQUEST_ID } from './support/refused.ts'
import { screensOf, type ScreenName } from './support/screens.ts'
import { expectSignInAgain } from './support/session-end.ts'
import { leave, newVisitor, signIn, test } from './support/visitor.fixture.ts'

/** Screens wait more than they compute: several lanes take them in turn. */
const LANES = 3
const inLanes = (paths: readonly string[], work: (paths: readonly string[]) => Promise<void>) =>
  Promise.all(
    Array.from({ length: LANES }, (_, lane) => work(paths.filter((_path, i) => i % LANES === lane))),
  )

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
  expect(inMenu).toHaveLength(20)
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
  await expect.poll(() => page.getByRole('link', { name: 'Crane' }).isVisible()).toBe(true)
  held.resolve()
  await page.getByText('No matching assets').waitFor()
  await page.getByRole('progressbar', { name: 'Loading' }).waitFor({ state: 'detached' })
})

test('a slow screen shows skeletons, still for people who asked for that', async ({ member }) => {
  const { page } = member
  const held = Promise.withResolvers<void>()
  await page.route(API, async (route) => {
    await held.promise
    await route.continue()
  })
  await member.open('/members')
  const skeleton = page.getByRole('status').locator('.mantine-Skeleton-root').first()
  await skeleton.waitFor()
  const animation = skeleton.evaluate(
    (node) => node.ownerDocument.defaultView?.getComputedStyle(node, '::after').animationName,
  )
  expect(await animation).toBe('none')
  held.resolve()
  await page.getByRole('cell', { name: /Ada/ }).waitFor()
  await expect.poll(() => page.locator('.mantine-Skeleton-root').count()).toBe(0)
})

test('an unknown address says so, also before signing in', async ({ visitor }) => {
  await visitor.open('/no-such-screen')
  await visitor.page.getByRole('heading', { name: 'Page not found' }).waitFor()
  await visitor.page.getByRole('banner').getByText('Whereabouts').waitFor()
})

/** Screens that load one thing, a list, page by page, and not at all. `pnpm screens` tries all. */
const SOME: ReadonlySet<string> = new Set<ScreenName>([
  'overview',
  'asset',
  'imports',
  'locations',
  'inventory',
])

test('people sign in again over a screen after the session ends', async ({ browser, organization }) => {
  const screens = (await screensOf(organization)).filter(({ name }) => SOME.has(name))
  expect(screens).toHaveLength(SOME.size)
  await inLanes(
    screens.map(({ path }) => path),
    async (paths) => {
      const visitor = await newVisitor(browser)
      await signIn(visitor, organization.login)
      for (const path of paths) await expectSignInAgain(visitor, organization, path)
      await leave(visitor)
    },
  )
})

test('offline, every screen of the menu opens and says so; back online it loads', async ({ member }) => {
  const { page, context } = member
  await page.clock.install()
  const scripts = new Set<string>()
  page.on('requestfinished', (request) => scripts.add(request.url()))
  await member.open('/')
  const menu = page.getByRole('navigation', { name: 'Main menu' })
  await menu.getByRole('link', { name: 'Members' }).waitFor()
  await page.clock.fastForward(31_000) // scripts of other screens follow after half a minute
  const names = (await menu.getByRole('link').allTextContents()).filter((name) => name !== 'Overview')
  await expect.poll(() => [...scripts].join(' ')).toMatch(/\/static\/organization-/)
  let before = 0
  const isComplete = async () => before === (before = scripts.size)
  await expect.poll(isComplete, { interval: 500, timeout: 10_000 }).toBe(true)
  await context.setOffline(true)
  for (const name of names) {
    await menu.getByRole('link', { name }).click()
    await page.locator('a[aria-current=page]').filter({ hasText: name }).waitFor()
    await page.getByRole('status').filter({ hasText: 'You are offline' }).first().waitFor()
    await page.getByRole('heading', { level: 1 }).waitFor()
    expect([name, await page.getByText('could not be loaded').count()]).toEqual([name, 0])
    expect([name, await page.getByText('You are offline', { exact: true }).count()]).toEqual([name, 1])
  }
  await context.setOffline(false)
  await expect.poll(() => page.getByText('You are offline').count()).toBe(0)
  await page.getByLabel('Name of the organization').waitFor() // of the last screen
})
