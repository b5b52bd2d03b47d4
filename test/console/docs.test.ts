import type { Locator, Page } from 'playwright-core'
import { expect } from 'vitest'
import { problemsOf } from './support/accessible.ts'
import { tabTo } from './support/keyboard.ts'
import { test } from './support/visitor.fixture.ts'

const PHONE = { width: 360, height: 800 }
const OVERFLOW = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'

/** Opens the first result, which must be this section. */
async function searchFor(page: Page, words: string, { path, heading }: { path: string; heading: string }) {
  await page.getByRole('button', { name: 'Search' }).first().click()
  await page.getByRole('searchbox').fill(words)
  const result = page.getByRole('option').first()
  await result.getByText(heading).first().waitFor()
  await page.keyboard.press('Enter')
  await page.waitForURL(`**/docs${path}`)
  await page.getByRole('heading', { name: heading }).first().waitFor()
}

test.for([
  { words: '429', path: '/errors#rate_limited', heading: 'rate_limited' },
  {
    words: 'webhook signature',
    path: '/webhooks#with-x-service-signature',
    heading: 'With X-Service-Signature',
  },
  { words: 'Impinj', path: '/readers/impinj#impinj-r700-r720', heading: 'Impinj R700' },
  { words: 'RFD40', path: '/readers/zebra-mobile#rfd40-rfd90-sleds', heading: 'RFD40, RFD90 sleds' },
  { words: 'sso', path: '/data-protection#sign-on', heading: 'Sign-on' },
  { words: 'restore', path: '/backup#backup-and-restore', heading: 'Backup and restore' },
])(
  'a search for "$words" leads to $path, on a laptop and on a phone',
  async ({ words, ...to }, { visitor }) => {
    const { page } = visitor
    await visitor.open('/docs/')
    await searchFor(page, words, to)
    await page.setViewportSize(PHONE)
    await visitor.open('/docs/glossary')
    await searchFor(page, words, to)
  },
)

test.for([
  '/docs/',
  '/docs/concepts',
  '/docs/errors',
  '/docs/integrating',
  '/docs/recipes',
  '/docs/contract',
  '/docs/readers',
  '/docs/readers/canonical',
  '/docs/readers/ruuvi',
  '/docs/adr/',
  '/docs/nowhere',
])('%s is accessible in light and dark mode, and fits on a phone', async (path, { visitor }) => {
  await visitor.open(path)
  await visitor.page.getByRole('heading', { level: 1 }).waitFor()
  expect(await problemsOf(visitor.page, [])).toEqual([])
  await visitor.page.setViewportSize(PHONE)
  expect(await visitor.page.evaluate<number>(OVERFLOW)).toBe(0)
})

test('Copy page puts the Markdown of the page on the clipboard, and the link opens it', async ({
  visitor: { page, open },
}) => {
  await open('/docs/limits')
  await page.getByRole('button', { name: 'Copy page' }).click()
  await page.getByText('Copied', { exact: true }).waitFor()
  const copied = await page.evaluate<string>('navigator.clipboard.readText()')
  expect(copied).toMatch(/^# Limits\n/)
  await page.getByRole('link', { name: 'Webhooks', exact: true }).first().click()
  await page.getByRole('heading', { name: 'Webhooks', level: 1 }).waitFor()
  expect(await page.getByText('Copied', { exact: true }).count()).toBe(0)
  await page.goBack()
  await page.getByRole('link', { name: 'Markdown', exact: true }).click()
  await page.waitForURL('**/docs/limits.md')
  expect(await page.locator('body').textContent()).toBe(copied)
})

test('a page that cannot be copied says so, and what to do', async ({ visitor: { page, open } }) => {
  await open('/docs/limits')
  await page.route('**/docs/limits.md', (route) => route.abort())
  await page.getByRole('button', { name: 'Copy page' }).click()
  await page.getByText('Not copied. Open the Markdown, and copy it there.').waitFor()
})

test('the results of a search are accessible in light and dark mode', async ({ visitor }) => {
  const { page } = visitor
  await visitor.open('/docs/')
  await page.getByRole('button', { name: 'Search' }).first().click()
  await page.getByRole('searchbox').fill('webhook')
  await page.getByRole('option', { selected: true }).waitFor()
  expect(await problemsOf(page, [])).toEqual([])
})

test('all code is in the language that was chosen last, by keyboard, also after a reload', async ({
  visitor: { page, open },
}) => {
  const shown = () => page.locator('.vp-code-group [class*=language-]:visible > .lang').allTextContents()
  await open('/docs/recipes')
  const first = page.getByRole('radio', { name: 'curl' }).first()
  expect(new Set(await shown())).toEqual(new Set(['sh']))
  await tabTo(page, first)
  await page.keyboard.press('ArrowRight')
  expect(new Set(await shown())).toEqual(new Set(['ts']))
  await page.keyboard.press('ArrowRight')
  expect(new Set(await shown())).toEqual(new Set(['python']))
  await open('/docs/recipes#take-an-inventory')
  await page.reload()
  await page.getByRole('radio', { name: 'Python', checked: true }).first().waitFor()
  expect(new Set(await shown())).toEqual(new Set(['python']))
  await expect.poll(() => topOf(page.getByRole('heading', { name: 'Take an inventory' }))).toBeLessThan(200)
})

const topOf = async (element: Locator): Promise<number> =>
  Math.abs((await element.boundingBox())?.y ?? Infinity)

test('the console, the documentation and the API reference lead to each other', async ({ member }) => {
  const { page } = member
  await member.open('/')
  await page.getByRole('button', { name: /: menu$/ }).click()
  await page.getByRole('menuitem', { name: 'Documentation' }).click()
  await page.waitForURL('**/docs/')
  await page.getByRole('link', { name: 'The contract', exact: true }).click()
  await page.getByRole('heading', { name: 'The contract', level: 1 }).waitFor()
  await page.getByRole('link', { name: 'API reference' }).first().click()
  await page.waitForURL(/\/api$/)
  await page.getByRole('heading', { name: 'Whereabouts API', exact: true }).waitFor()
  await page.getByRole('link', { name: 'quick start' }).first().click()
  await page.waitForURL('**/docs/quick-start')
  await page.getByRole('link', { name: 'Console', exact: true }).click()
  await page.waitForURL((url) => url.pathname === '/')
})
