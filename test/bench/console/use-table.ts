import type { Browser, Page } from 'playwright-core'
import { keyOf, type Login } from './fill.ts'

export type Action = { name: string; shownMs: number[]; longestFrameMs: number }

const PAGES = 20
const SEARCHES = 10

/** Keeps the longest time between two frames in `window.longestFrame`. */
const WATCH_FRAMES = `(() => {
  let before = performance.now()
  const frame = (now) => {
    window.longestFrame = Math.max(window.longestFrame ?? 0, now - before)
    before = now
    requestAnimationFrame(frame)
  }
  requestAnimationFrame(frame)
})()`

/** What a person does with a long table, each from the key or click until the rows are there. */
export async function useTable(
  browser: Browser,
  base: string,
  login: Login,
  assets: number,
): Promise<Action[]> {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 }, locale: 'en-GB' })
  await page.goto(`${base}/sign-in`)
  await page.getByLabel('E-mail').fill(login.email)
  await page.getByRole('textbox', { name: 'Password' }).fill(login.password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  const menu = page.getByRole('navigation', { name: 'Screens' })
  await menu.getByRole('link', { name: 'Assets' }).waitFor()
  await page.evaluate(WATCH_FRAMES)
  const total = new Intl.NumberFormat('en-GB').format(assets)
  const rows = (range: string) => page.getByText(`${range} of ${total} assets`, { exact: true }).waitFor()
  const found = (range: string, count: string) =>
    page.getByText(`${range} of ${count} assets`, { exact: true }).waitFor()
  const search = page.getByLabel('Search')

  const actions = [
    await timed(page, 'open', 1, async () => {
      await menu.getByRole('link', { name: 'Assets' }).click()
      await rows('1–50')
    }),
    await timed(page, 'next page', PAGES, async (time) => {
      await page.getByRole('button', { name: 'next page of assets' }).click()
      await rows(rangeOf(time + 1))
    }),
    await timed(page, 'last page', 1, async () => {
      await page.getByRole('button', { name: `Page ${assets / 50} of assets`, exact: true }).click()
      await rows(rangeOf(assets / 50 - 1))
    }),
    await timed(page, 'sort by key', 2, async () => {
      await page.getByRole('button', { name: /key/i }).first().click()
      await rows('1–50')
    }),
    await timed(page, 'find one by its key', SEARCHES, async (time) => {
      await search.fill(keyOf(Math.floor((assets / (SEARCHES + 1)) * (time + 1))))
      await page
        .getByRole('link', { name: `Pallet ${Math.floor((assets / (SEARCHES + 1)) * (time + 1))}` })
        .waitFor()
      await found('1–1', '1')
    }),
    await timed(page, 'clear the search', 1, async () => {
      await search.fill('')
      await rows('1–50')
    }),
  ]
  await page.close()
  return actions
}

const format = new Intl.NumberFormat('en-GB')
const rangeOf = (at: number) => `${format.format(at * 50 + 1)}–${format.format(at * 50 + 50)}`

async function timed(
  page: Page,
  name: string,
  times: number,
  work: (time: number) => Promise<void>,
): Promise<Action> {
  await page.evaluate('window.longestFrame = 0')
  const shownMs: number[] = []
  for (let time = 0; time < times; time += 1) {
    const from = performance.now()
    await work(time)
    shownMs.push(performance.now() - from)
  }
  return { name, shownMs, longestFrameMs: await page.evaluate<number>('window.longestFrame') }
}
