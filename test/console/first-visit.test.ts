import type { Page, Request } from 'playwright-core'
import { expect } from 'vitest'
import { screensOf } from './support/screens.ts'
import { test } from './support/visitor.fixture.ts'

/** The addresses of what is loaded so far. */
const LOADED = `performance.getEntriesByType('resource').map(({ name }) => name).join(' ')`

const MOST_REQUESTS = 30
const MOST_KIB = 450

/**
 * What arrives over the network: compressed, with headers. `counted` ends the counting, since a page that is closed
 * answers no more questions about its requests.
 */
function countArrivals(page: Page) {
  const arrived: Request[] = []
  const note = (request: Request) => arrived.push(request)
  page.on('requestfinished', note)
  return async () => {
    page.off('requestfinished', note)
    const sizes = await Promise.all(arrived.map((request) => request.sizes()))
    const bytes = sizes.reduce(
      (sum, { responseBodySize, responseHeadersSize }) => sum + responseBodySize + responseHeadersSize,
      0,
    )
    return { requests: arrived.map((request) => request.url()), bytes }
  }
}

test('a first visit of Overview takes at most 30 requests and 450 KiB, and nothing moves while it loads', async ({
  member,
  organization,
}) => {
  await screensOf(organization)
  const { page } = member
  await page.addInitScript(`
    window.shift = 0
    new PerformanceObserver((list) => list.getEntries().forEach(({ value }) => { window.shift += value }))
      .observe({ type: 'layout-shift', buffered: true })`)
  const counted = countArrivals(page)
  await member.open('/')
  for (const name of ['Needs attention', 'Floor', 'Movements in the last 24 hours', 'Just moved'])
    await page.getByRole('region', { name }).getByRole('status').waitFor({ state: 'detached' })
  await expect.poll(() => page.evaluate<string>(LOADED)).toMatch(/\/finder-/)
  await page.getByText('Connected').waitFor()
  const arrived = await counted()
  expect(arrived.requests.length, arrived.requests.join('\n')).toBeLessThanOrEqual(MOST_REQUESTS)
  expect(arrived.bytes / 1024).toBeLessThanOrEqual(MOST_KIB)
  expect(arrived.bytes / 1024).toBeGreaterThan(100)
  expect(await page.evaluate<number>('window.shift')).toBeLessThan(0.05)
})
