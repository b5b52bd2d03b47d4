import { expect } from 'vitest'
import { test } from './support/front.fixture.ts'
import { hide, isLive, movedTo, scene, show } from './support/tabs.ts'

test('only the visible page has a connection, and continues after the last event', async ({
  member: { page },
  organization,
  front,
}) => {
  const move = await scene(organization)
  await page.goto(`${front.urls.near}/live`)
  await isLive(page)
  await move('HALL')
  await movedTo(page, 'Hall')
  await hide(page)
  await expect.poll(front.open).toBe(0)
  await move('DOCK')
  await show(page)
  await movedTo(page, 'Dock')
  await expect.poll(() => page.getByRole('link', { name: 'Forklift 7' }).count()).toBe(2)
  await page.goto(`${front.urls.near}/assets`)
  await isLive(page)
  await expect.poll(front.open).toBe(1) // that of the page before ends on its own time
})

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
