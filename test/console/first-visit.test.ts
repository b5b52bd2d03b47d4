import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { screensOf } from './support/screens.ts'
import { test } from './support/visitor.fixture.ts'

/** The addresses of what is loaded so far. */
const LOADED = `performance.getEntriesByType('resource').map(({ name }) => name).join(' ')`

const MOST_REQUESTS = 30
const MOST_KIB = 450

/** What arrives over the network: compressed, with headers. */
function countArrivals(page: Page): { requests: string[]; bytes: number } {
  const arrived: { requests: string[]; bytes: number } = { requests: [], bytes: 0 }
  page.on('requestfinished', async (request) => {
    arrived.requests.push(request.url())
    const { responseBodySize, responseHeadersSize } = await request.sizes()
    arrived.bytes += responseBodySize + responseHeadersSize
  })
  return arrived
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
  const arrived = countArrivals(page)
  await member.open('/')
  for (const name of ['Needs attention', 'Floor', 'Movements in the last 24 hours', 'Just moved'])
    await page.getByRole('region', { name }).getByRole('status').waitFor({ state: 'detached' })
  await expect.poll(() => page.evaluate<string>(LOADED)).toMatch(/\/finder-/)
  await page.getByText('Connected').waitFor()
  expect(arrived.requests.length, arrived.requests.join('\n')).toBeLessThanOrEqual(MOST_REQUESTS)
  expect(arrived.bytes / 1024).toBeLessThanOrEqual(MOST_KIB)
  expect(arrived.bytes / 1024).toBeGreaterThan(100)
  expect(await page.evaluate<number>('window.shift')).toBeLessThan(0.05)
})
