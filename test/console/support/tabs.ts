import type { BrowserContext, Page } from 'playwright-core'
import { expect } from 'vitest'
import { newAsset, newLocation, type Organization } from '../../system/organization.ts'
import type { Front } from './front.fixture.ts'
import { STACK, type Visitor } from './visitor.fixture.ts'

/** A browser opens at most six connections to a host over plain HTTP. */
const TABS = 8

/** Two locations and an asset. Returns what saves the asset at one of them. */
export async function scene(org: Organization): Promise<(place: 'HALL' | 'DOCK') => Promise<void>> {
  await newLocation(org, 'Hall', 'HALL')
  await newLocation(org, 'Dock', 'DOCK')
  const { external_key } = await newAsset(org, 'Forklift 7', [])
  return async (place) => {
    const body = { asset_identifiers: [external_key], location_identifier: place }
    const { response } = await org.integrator.POST('/api/v1/inventory/save', { body })
    expect(response.status).toBe(201)
  }
}

export const isLive = (page: Page) =>
  page
    .getByRole('status')
    .filter({ hasText: /^Connected$/ })
    .waitFor()
export const movedTo = (page: Page, place: string) =>
  page.locator('tr').filter({ hasText: 'Forklift 7' }).getByRole('link', { name: place }).first().waitFor()

/** Opens the address in `count` tabs at the same moment. */
export async function openTabs(context: BrowserContext, address: string, count: number): Promise<Page[]> {
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

/** Eight tabs at this address share one live connection, also when some of them are closed or loaded again. */
export async function expectOneConnection(
  { context, problems }: Visitor,
  organization: Organization,
  front: Front,
  address: string,
): Promise<void> {
  const move = await scene(organization)
  await copyCookies(context, address)
  const tabs = await openTabs(context, `${address}/live`, TABS)
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
  expect(problems.splice(0).filter((text) => !text.startsWith('The Cross-Origin-Opener-Policy'))).toEqual([])
}
