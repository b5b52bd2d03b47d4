import { createClient, exchangeKey } from '@whereabouts/client/client'
import { expect } from 'vitest'
import { STACK, test } from '../console/support/visitor.fixture.ts'
import { newPage } from '../system/browser.ts'
import { newOrganization } from '../system/organization.ts'

const foreign = (requested: string[]) =>
  requested.filter((url) => new URL(url).origin !== new URL(STACK.urls.base).origin)

const headings = [
  { path: '/api', anchor: '', heading: 'Whereabouts API' },
  { path: '/api', anchor: '#tag/assets/POST/api/v1/assets', heading: 'Create an asset' },
  { path: '/legacy/api', anchor: '', heading: 'Whereabouts API, legacy vocabulary' },
]
test.for(headings)(
  '"$heading" of $path is rendered from its description, without requests to other hosts',
  async ({ path, anchor, heading }, { browser }) => {
    const { page, requested, problems } = await newPage(browser)
    await page.goto(`${STACK.urls.base}${path}${anchor}`)
    await page.getByRole('heading', { name: heading, exact: true }).waitFor()
    expect(requested).toContain(`${STACK.urls.base}${path}/openapi.json`)
    expect(foreign(requested)).toEqual([])
    expect(problems).toEqual([])
    await page.close()
  },
)

test('an operation has code in curl, TypeScript and Python alone, and its section links the guide', async ({
  browser,
}) => {
  const { page } = await newPage(browser)
  await page.goto(`${STACK.urls.base}/api#tag/assets/POST/api/v1/assets`)
  const section = page.getByRole('region', { name: 'Create an asset', exact: true })
  await section.getByText('curl "$BASE/api/v1/assets"').waitFor()
  const picker = section.getByTestId('client-picker')
  expect((await picker.innerText()).trim()).toBe('curl')
  await picker.click()
  const options = page.getByRole('option')
  await expect.poll(() => options.allInnerTexts()).toEqual(['curl', 'TypeScript', 'Python'])
  await options.filter({ hasText: 'Python' }).click()
  await section.getByText('whereabouts.request("POST", "/api/v1/assets"').waitFor()
  await page.goto(`${STACK.urls.base}/api#tag/assets`)
  const guide = page.getByRole('link', { name: 'Concepts', exact: true }).first()
  expect(await guide.getAttribute('href')).toBe('/docs/concepts')
  await page.close()
})

test('"Test Request" with a token reads the organization', async ({ browser }) => {
  const { id, readerKey } = await newOrganization(STACK, 'Browser Ltd')
  const { access_token } = await exchangeKey(createClient({ baseUrl: STACK.urls.base }), readerKey)
  const { page, requested, problems } = await newPage(browser)
  await page.goto(`${STACK.urls.base}/api#tag/organization/GET/api/v1/orgs/me`)
  await page.getByRole('button', { name: /^Test Request.*orgs\/me/ }).click()
  const dialog = page.getByRole('dialog')
  const value = dialog.locator('.scalar-password-input') // it has no label
  await expect.poll(() => value.inputValue()).toBe('Bearer ')
  await value.fill(`Bearer ${access_token}`)
  const responded = page.waitForResponse(`${STACK.urls.base}/api/v1/orgs/me`)
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
