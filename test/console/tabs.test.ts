import type { BrowserContext, Page } from 'playwright-core'
import { expect } from 'vitest'
import { newAsset, newLocation, type Organization } from '../system/organization.ts'
import { test } from './support/front.fixture.ts'
import { STACK } from './support/visitor.fixture.ts'

/** A browser opens at most six connections to a host over plain HTTP. */
const TABS = 8

async function scene(org: Organization): Promise<(place: 'HALL' | 'DOCK') => Promise<void>> {
  await newLocation(org, 'Hall', 'HALL')
  await newLocation(org, 'Dock', 'DOCK')
  const { external_key } = await newAsset(org, 'Forklift 7', [])
  return async (place) => {
    const body = { asset_identifiers: [external_key], location_identifier: place }
    const { response } = await org.integrator.POST('/api/v1/inventory/save', { body })
    expect(response.status).toBe(201)
  }
}

const isLive = (page: Page) =>
  page
    .getByRole('status')
    .filter({ hasText: /^Live$/ })
    .waitFor()
const movedTo = (page: Page, place: string) =>
  page.locator('tr').filter({ hasText: 'Forklift 7' }).getByRole('link', { name: place }).first().waitFor()

/** Opens the address in `count` tabs at the same moment. */
async function openTabs(context: BrowserContext, address: string, count: number): Promise<Page[]> {
  const tabs = await Promise.all(Array.from({ length: count }, () => context.newPage()))
  await Promise.all(tabs.map((tab) => tab.goto(address)))
  return tabs
}

/** The cookie of a signed-in browser is also valid at the other name of this machine. */
async function copyCookies(context: BrowserContext, address: string): Promise<void> {
  const { hostname: domain } = new URL(address)
  for (const cookie of await context.cookies(`${STACK.urls.base}/session/refresh`))
    await context.addCookies([{ ...cookie, domain }])
}

test.for(['near', 'far'] as const)(
  'eight tabs of a %s browser share one connection',
  async (name, { member, organization, front }) => {
    const address = front.urls[name]
    const move = await scene(organization)
    await copyCookies(member.context, address)
    const tabs = await openTabs(member.context, `${address}/live`, TABS)
    await Promise.all(tabs.map(isLive))
    expect(front.open()).toBe(1)
    await move('HALL')
    await Promise.all(tabs.map((tab) => movedTo(tab, 'Hall')))

    const [first, second, ...others] = tabs
    await first?.close()
    await second?.reload()
    await move('DOCK')
    await Promise.all(others.map((tab) => movedTo(tab, 'Dock')))
    expect(front.open()).toBe(1)
    await Promise.all(others.map((tab) => tab.close()))
    if (second) await isLive(second)
    await second?.close()
    await expect.poll(front.open).toBe(0)
    // The browser reports only a header that it ignores over HTTP.
    expect(
      member.problems.splice(0).filter((text) => !text.startsWith('The Cross-Origin-Opener-Policy')),
    ).toEqual([])
  },
)

const WALK = [
  '/assets',
  '/readers',
  '/unknown-tags',
  '/locations',
  '/live',
  '/assets',
  '/readers',
  '/members',
  '/webhook',
  '/live',
]
/** Whether the browser has shown this page again from its back/forward cache. */
const WAS_KEPT = 'window.wasKept === true'

test('people walk back and forth through kept pages, while another tab is open', async ({
  member,
  organization,
  front,
}) => {
  const { page, context } = member
  const move = await scene(organization)
  await context.addInitScript(
    'addEventListener("pageshow", ({ persisted }) => { window.wasKept = persisted })',
  )
  const [other] = await openTabs(context, `${front.urls.near}/live`, 1)
  for (const path of WALK) {
    await page.goto(`${front.urls.near}${path}`)
    await isLive(page)
  }
  await move('HALL') // while the earlier pages are in the cache
  await movedTo(page, 'Hall')
  let kept = 0
  for (const path of WALK.slice(0, -1).toReversed()) {
    await page.goBack({ waitUntil: 'commit' })
    await page.waitForURL(`**${path}`, { waitUntil: 'commit' })
    await isLive(page)
    if (await page.evaluate<boolean>(WAS_KEPT)) kept += 1
    if (path === '/live') await movedTo(page, 'Hall')
    expect(front.open()).toBe(1)
  }
  expect(kept).toBeGreaterThan(0)
  await page.goForward({ waitUntil: 'commit' })
  await isLive(page)
  if (!other) throw new Error('there is another tab')
  await move('DOCK')
  await movedTo(other, 'Dock')
})

test('a sign-out ends the connection, and a kept page of that session is not shown', async ({
  member,
  front,
}) => {
  const { page, context } = member
  const [other] = await openTabs(context, `${front.urls.near}/members`, 1)
  await page.goto(`${front.urls.near}/readers`)
  await page.goto(`${front.urls.near}/live`)
  await isLive(page)
  await page.getByRole('button', { name: /^Harbour Tools, / }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.waitForURL('**/sign-in')
  await other?.waitForURL(/\/sign-in/)
  await expect.poll(front.open).toBe(0)
  await page.goBack({ waitUntil: 'commit' })
  await page.getByRole('button', { name: 'Sign in' }).waitFor()
  await page.goBack({ waitUntil: 'commit' })
  await page.getByRole('button', { name: 'Sign in' }).waitFor()
})

test('without shared workers, only the visible page has a connection', async ({
  member,
  organization,
  front,
}) => {
  const { context } = member
  await context.addInitScript('delete window.SharedWorker')
  const move = await scene(organization)
  const [tab] = await openTabs(context, `${front.urls.near}/live`, 1)
  if (!tab) throw new Error('there is a tab')
  await isLive(tab)
  await tab.evaluate(shown('hidden'))
  await expect.poll(front.open).toBe(0)
  await move('HALL')
  await tab.evaluate(shown('visible'))
  await movedTo(tab, 'Hall')
  await tab.goto(`${front.urls.near}/assets`)
  await isLive(tab)
  expect(front.open()).toBe(1)
})

/** As when the person goes to another app, or comes back. */
const shown = (state: 'visible' | 'hidden') => `
  Object.defineProperty(document, 'visibilityState', { value: '${state}', configurable: true })
  document.dispatchEvent(new Event('visibilitychange'))`

test('a page that is reloaded while it renews the session stays signed in', async ({ member, front }) => {
  const { page } = member
  front.slowRenewals(300)
  const renewal = page.waitForRequest('**/session/refresh')
  await page.goto(`${front.urls.near}/members`, { waitUntil: 'commit' })
  await renewal
  await page.reload()
  await page.getByRole('cell', { name: /Ada/ }).first().waitFor()
})

test('addresses have plain values', async ({ member, front }) => {
  const { page } = member
  for (const [address, text] of [
    ['/assets?q=007', '007'],
    ['/assets?q=true', 'true'],
    ['/assets?q=1e3', '1e3'],
    ['/assets?q=%22x%22', '"x"'],
  ] as const) {
    await page.goto(`${front.urls.near}${address}`)
    await expect.poll(() => page.getByLabel('Search').inputValue()).toBe(text)
    expect(page.url()).toBe(`${front.urls.near}${address}`)
  }
})
