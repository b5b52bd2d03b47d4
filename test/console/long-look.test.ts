import type { Page, Request } from 'playwright-core'
import { expect } from 'vitest'
import { newLocation, type Organization } from '../system/organization.ts'
import { screensOf } from './support/screens.ts'
import { test } from './support/visitor.fixture.ts'

const REFRESHES = 3
/** Just above the slowest timer of a screen, which is five minutes. */
const LATER_MS = 301_000
/** What a screen may keep that it did not have after the first refresh. A leak of one answer each time is more. */
const GROWTH_MIB = 4

const WITH_FLOOR = new Set(['overview', 'floor', 'location'])
const OF_A_FLOOR = ['/api/v1/floor', '/api/v1/movements/by-location']

/** Halls with sub-locations, because one branch alone shows less than two that hang together. */
async function branches(organization: Organization): Promise<void> {
  for (const hall of ['A', 'B']) {
    const parent_id = await newLocation(organization, `Hall ${hall}`, `HALL-${hall}`)
    for (const bay of [1, 2, 3]) {
      const body = { name: `Bay ${bay}`, external_key: `BAY-${hall}-${bay}`, parent_id }
      expect((await organization.integrator.POST('/api/v1/locations', { body })).response.status).toBe(201)
    }
  }
}

/** Counts the answers of each address, and knows what is under way. */
function watch(page: Page) {
  const [answers, open] = [new Map<string, number>(), new Set<Request>()]
  const isEndless = (request: Request) => /\/live\b|\/reads\b|\/events$/.test(new URL(request.url()).pathname)
  page.on('request', (request) => {
    if (request.url().includes('/api/') && !isEndless(request)) open.add(request)
  })
  const end = (request: Request) => {
    if (!open.delete(request)) return
    const { pathname } = new URL(request.url())
    answers.set(pathname, (answers.get(pathname) ?? 0) + 1)
  }
  page.on('requestfinished', end).on('requestfailed', end)
  return { answers, settled: () => expect.poll(() => open.size).toBe(0) }
}

test('each screen stays open for three refreshes of all that it loads, and then answers a click', async ({
  member,
  organization,
}) => {
  const { page, context } = member
  const screens = await screensOf(organization)
  await branches(organization)
  await page.clock.install()
  const { answers, settled } = watch(page)
  const tools = await context.newCDPSession(page)
  const heapMiB = async () => {
    await tools.send('HeapProfiler.collectGarbage')
    return (await tools.send('Runtime.getHeapUsage')).usedSize / 2 ** 20
  }
  for (const { name, path } of screens) {
    answers.clear()
    await member.open(path)
    await page.getByRole('heading', { level: 1 }).first().waitFor()
    /** A request of a timer may not have begun yet, so the answers of a floor are waited for by their number. */
    const loaded = async (times: number) => {
      for (const address of WITH_FLOOR.has(name) ? OF_A_FLOOR : [])
        await expect
          .poll(() => answers.get(address), { message: `${address} on ${name}` })
          .toBeGreaterThanOrEqual(times)
      await settled()
    }
    await loaded(1)
    const heaps: number[] = []
    for (let refresh = 1; refresh <= REFRESHES; refresh += 1) {
      await page.clock.fastForward(LATER_MS)
      await loaded(1 + refresh)
      heaps.push(await heapMiB())
    }
    expect((heaps.at(-1) ?? 0) - (heaps[0] ?? 0), `memory of ${name}`).toBeLessThan(GROWTH_MIB)
    expect(await page.getByRole('alert').allTextContents(), name).toEqual([])
    await page.getByRole('button', { name: /: menu$/ }).click()
    await page.getByRole('menuitem', { name: 'Date, time and zone' }).waitFor()
  }
})
