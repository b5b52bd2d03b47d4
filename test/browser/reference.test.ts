import { createClient, exchangeKey } from '@whereabouts/client/client'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { newPage, startBrowser } from '../system/browser.ts'
import { newOrganization } from '../system/organization.ts'
import { startSystem, type System } from '../system/system.ts'

vi.setConfig({ testTimeout: 180_000 })

let browser: Browser
let system: System
beforeAll(async () => {
  browser = await startBrowser()
  system = await startSystem()
}, 420_000) // the browser may be downloaded first
afterAll(async () => {
  await browser?.close()
  await system?.stop()
})

const foreign = (requested: string[]) =>
  requested.filter((url) => new URL(url).origin !== new URL(system.stack.urls.base).origin)

const headings = [
  { path: '/api', anchor: '', heading: 'Whereabouts API' },
  { path: '/api', anchor: '#tag/assets/POST/api/v1/assets', heading: 'Create an asset' },
  { path: '/legacy/api', anchor: '', heading: 'Whereabouts API, older vocabulary' },
]
test.for(headings)(
  '"$heading" of $path is rendered from its description, without requests to other hosts',
  async ({ path, anchor, heading }) => {
    const { page, requested, problems } = await newPage(browser)
    await page.goto(`${system.stack.urls.base}${path}${anchor}`)
    await page.getByRole('heading', { name: heading, exact: true }).waitFor()
    expect(requested).toContain(`${system.stack.urls.base}${path}/openapi.json`)
    expect(foreign(requested)).toEqual([])
    expect(problems).toEqual([])
    await page.close()
  },
)

test('"Test Request" with a token reads the organization', async () => {
  const { stack } = system
  const { id, readerKey } = await newOrganization(stack, 'Browser Ltd')
  const { access_token } = await exchangeKey(createClient({ baseUrl: stack.urls.base }), readerKey)
  const { page, requested, problems } = await newPage(browser)
  await page.goto(`${stack.urls.base}/api#tag/organization/GET/api/v1/orgs/me`)
  await page.getByRole('button', { name: /^Test Request.*orgs\/me/ }).click()
  const dialog = page.getByRole('dialog')
  const value = dialog.locator('.scalar-password-input') // it has no label
  expect(await value.inputValue()).toBe('Bearer ')
  await value.fill(`Bearer ${access_token}`)
  const responded = page.waitForResponse(`${stack.urls.base}/api/v1/orgs/me`)
  await dialog
    .getByRole('button', { name: /^Send get request/ })
    .first()
    .click()
  const response = await responded
  expect(response.status()).toBe(200)
  expect(await response.json()).toMatchObject({
    data: { id, name: 'Browser Ltd', api_key_id: readerKey.clientId },
  })
  await dialog.getByText('200 OK').waitFor()
  await dialog.getByText('"Browser Ltd"').waitFor()
  expect(foreign(requested)).toEqual([])
  expect(problems).toEqual([])
  await page.close()
})
