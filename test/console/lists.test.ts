import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { furnish } from '../screens/support/furnished.ts'
import { newReader, readerViews, type Organization } from '../system/organization.ts'
import { connectReader } from '../system/readers.ts'
import { isLive } from './support/tabs.ts'
import { saved } from './support/moves.ts'
import { screensOf, type ScreenName } from './support/screens.ts'
import { STACK, test } from './support/visitor.fixture.ts'

/**
 * What of the lists on the screen cannot be read: cells higher than three lines although their text is short, and words
 * broken into pieces. Returns the number of cells, too.
 */
const READ_LISTS = `(() => {
  const cells = [...document.querySelectorAll('.stacked tbody td')].filter((cell) => cell.offsetHeight > 0)
  const found = []
  const isHidden = (node) => node !== null && (node.matches('svg') || getComputedStyle(node).clipPath !== 'none' || isHidden(node.parentElement))
  for (const cell of cells) {
    const text = cell.innerText.trim()
    const lines = cell.getBoundingClientRect().height / 21
    if (lines > 4 && text.length < 90) found.push(Math.round(lines) + ' lines: ' + text)
    const walker = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT)
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      if (isHidden(node.parentElement)) continue
      for (const { 0: word, index } of node.data.matchAll(/[^\\s-]{2,24}/g)) {
        const range = document.createRange()
        range.setStart(node, index)
        range.setEnd(node, index + word.length)
        const tops = new Set([...range.getClientRects()].map(({ top }) => Math.round(top)))
        if (tops.size > 1) found.push('broken: ' + word)
      }
    }
  }
  return { cells: cells.length, found }
})()`

/** Resolves when the list has rows. */
async function expectReadable(page: Page, name: string): Promise<void> {
  await page.locator('.stacked tbody tr').first().waitFor()
  const { cells, found } = await page.evaluate<{ cells: number; found: string[] }>(READ_LISTS)
  expect([name, found]).toEqual([name, []])
  expect(cells).toBeGreaterThan(0)
}

/** One more row in each list that `furnish` leaves empty. */
async function complete(organization: Organization): Promise<string[]> {
  const screens = await screensOf(organization)
  const reader = await connectReader(STACK, organization.readerKey, 'nats')
  for (const message of [{ nothing: 1 }, { reads: [{ tag: { type: 'rfid', value: 'E200CC' }, antenna: 1 }] }])
    await reader.publish(organization.id, 'gate', 'canonical', Buffer.from(JSON.stringify(message)))
  await reader.close()
  const isDegraded = async () =>
    (await readerViews(organization)).find(({ reader_key }) => reader_key === 'gate')?.health.status
  await expect.poll(isDegraded, { timeout: 15_000 }).not.toBe('never_heard')
  const withoutLists: ReadonlySet<string> = new Set<ScreenName>([
    'overview',
    'floor',
    'start',
    'live',
    'alert',
    'inventory',
    'locations',
    'positions',
    'rule',
    'events',
    'settings',
  ])
  return [
    ...screens.filter(({ name }) => !withoutLists.has(name)).map(({ path }) => path),
    '/locations?q=dock',
  ]
}

test('on a phone each list can be read: no broken words, no towers of letters', async ({
  member,
  organization,
}) => {
  const { page } = member
  await furnish(organization, { urls: STACK.urls })
  const paths = await complete(organization)
  expect(paths).toHaveLength(21)
  await page.setViewportSize({ width: 390, height: 844 })
  for (const path of paths) {
    await member.open(path)
    await page.getByRole('heading', { level: 1 }).waitFor()
    const rows = page.getByRole('button', { name: /^\d+ rows? at / }) // of an asset, on demand
    if (/^\/assets\/\d/.test(path)) await rows.first().click()
    await expectReadable(page, path)
  }
  await member.open('/live')
  await isLive(page)
  await saved(organization, 'Pallet of pump housings, series KX-2000')
  await page.getByRole('link', { name: 'Pallet of pump housings, series KX-2000' }).first().waitFor()
  await expectReadable(page, '/live')
  await member.open('/events')
  await page.getByText(/^Since /).waitFor()
  await saved(organization, 'Pallet of pump housings, series KX-2000')
  await expectReadable(page, '/events')
})

test('on a wide screen rows of movements and readers are one line, and the reasons of problems are on demand', async ({
  member,
  organization,
}) => {
  const { page } = member
  const { locationId } = await saved(organization)
  await newReader(organization, { key: 'gate', format: 'canonical', locationId, antennas: 1 })
  const reader = await connectReader(STACK, organization.readerKey, 'nats')
  await reader.publish(organization.id, 'gate', 'canonical', Buffer.from('{"nothing":1}'))
  await reader.close()
  const status = async () => (await readerViews(organization))[0]?.health.status
  await expect.poll(status, { timeout: 15_000 }).toBe('degraded')
  await page.setViewportSize({ width: 1440, height: 900 })
  for (const path of ['/movements', '/readers']) {
    await member.open(path)
    const row = page.locator('.stacked tbody tr').first()
    await row.waitFor()
    expect((await row.boundingBox())?.height, path).toBeLessThan(40)
  }
  const problems = page.getByRole('row', { name: /gate/ }).locator('.problems')
  await expect.poll(() => problems.innerText()).toMatch(/^100%/)
  const reasons = problems.locator('.problem-reasons')
  const isSeen = async () => ((await reasons.boundingBox())?.height ?? 0) > 30
  expect(await isSeen()).toBe(false)
  await problems.focus()
  await expect.poll(isSeen).toBe(true)
  await reasons.getByText('1 of 1 message in the last hour').waitFor()
  await reasons.getByText('1 message that could not be understood').waitFor()
  await page.keyboard.press('Tab')
  await expect.poll(isSeen).toBe(false)
  await problems.hover()
  await expect.poll(isSeen).toBe(true)
})
