import { expect } from 'vitest'
import { test } from './support/front.fixture.ts'
import { expectOneConnection, isLive, movedTo, openTabs, scene } from './support/tabs.ts'

test('eight tabs share one connection', async ({ member, organization, front }) => {
  await expectOneConnection(member, organization, front, front.urls.near)
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

test('a shared worker that never answers is replaced', async ({ member, front }) => {
  const { page, context } = member
  await context.addInitScript(DEAD_FIRST_WORKER)
  await page.goto(`${front.urls.near}/live`)
  await isLive(page)
  expect(await page.evaluate('window.liveWorkers')).toBe(2)
  expect(front.open()).toBe(1)
})

/** As when the browser ends a worker while a page connects to it. */
const DEAD_FIRST_WORKER = `
  const Worker = window.SharedWorker
  window.liveWorkers = 0
  window.SharedWorker = function (url, options) {
    if (!options.name.startsWith('live-')) return new Worker(url, options)
    window.liveWorkers += 1
    if (window.liveWorkers > 1) return new Worker(url, options)
    return Object.assign(new EventTarget(), { port: new MessageChannel().port1 })
  }`

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
