import { expect } from 'vitest'
import { testInFullBrowser as test } from './support/front.fixture.ts'
import { copyCookies, hide, isLive, movedTo, openTabs, scene, show } from './support/tabs.ts'

// Slow: a page of a full browser costs more than twice the processor time. What the headless shell can show is tested
// in connection.test.ts.

/** A browser opens at most six connections to a host over plain HTTP. */
const TABS = 8

test('eight tabs of a browser on another machine load over plain HTTP, and the visible one is live', async ({
  member: { context, problems },
  organization,
  front,
}) => {
  const move = await scene(organization)
  await copyCookies(context, front.urls.far)
  const [first, ...others] = await openTabs(context, `${front.urls.far}/assets`, TABS)
  if (!first) throw new Error('there is a first tab')
  await isLive(first)
  await Promise.all(others.map((tab) => tab.getByRole('link', { name: 'Forklift 7' }).waitFor()))
  expect(front.open()).toBe(1)
  await move('HALL') // while the others are hidden, and have never been live
  await movedTo(first, 'Hall')
  let visible = first
  for (const tab of others) {
    await hide(visible)
    await show(tab)
    await movedTo(tab, 'Hall')
    visible = tab
  }
  await hide(visible)
  await expect.poll(front.open).toBe(0)
  await move('DOCK') // while no tab is visible
  await show(first)
  await movedTo(first, 'Dock')
  expect(front.open()).toBe(1)
  // The browser reports only a header that it ignores over HTTP.
  expect(problems.splice(0).filter((text) => !text.startsWith('The Cross-Origin-Opener-Policy'))).toEqual([])
})

const WALK = [
  '/assets',
  '/readers',
  '/unknown-tags',
  '/locations',
  '/live',
  '/assets',
  '/readers',
  '/members',
  '/webhooks',
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
    await expect.poll(front.open).toBe(2) // both are visible
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
