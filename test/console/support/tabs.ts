import type { BrowserContext, Page } from 'playwright-core'
import { expect } from 'vitest'
import { newAsset, newLocation, type Organization } from '../../system/organization.ts'
import { STACK } from './visitor.fixture.ts'

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

const shown = (isShown: boolean) => `
  Object.defineProperty(document, 'visibilityState', { value: '${isShown ? 'visible' : 'hidden'}', configurable: true })
  document.dispatchEvent(new Event('visibilitychange'))`

/** As when the person changes to another tab or app. Playwright shows all tabs at once. */
export const hide = (page: Page) => page.evaluate(shown(false))
export const show = (page: Page) => page.evaluate(shown(true))

/** Opens the address in `count` tabs at the same moment. Only the first is visible. */
export async function openTabs(context: BrowserContext, address: string, count: number): Promise<Page[]> {
  const tabs = await Promise.all(Array.from({ length: count }, () => context.newPage()))
  await Promise.all(tabs.slice(1).map((tab) => tab.addInitScript(shown(false))))
  await Promise.all(tabs.map((tab) => tab.goto(address)))
  return tabs
}

/** The cookie of a signed-in browser is also valid at the other name of this machine. */
export async function copyCookies(context: BrowserContext, address: string): Promise<void> {
  const { hostname: domain } = new URL(address)
  for (const cookie of await context.cookies(`${STACK.urls.base}/session/refresh`))
    await context.addCookies([{ ...cookie, domain }])
}
