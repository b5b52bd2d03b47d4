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

/** A page of somebody who has just signed in. */
export async function usePage<T>(
  browser: Browser,
  base: string,
  login: Login,
  use: (page: Page) => Promise<T>,
): Promise<T> {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 }, locale: 'en-GB' })
  await page.goto(`${base}/sign-in`)
  await page.getByLabel('E-mail').fill(login.email)
  await page.getByRole('textbox', { name: 'Password' }).fill(login.password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await menuOf(page).getByRole('link', { name: 'Assets' }).waitFor()
  await page.evaluate(WATCH_FRAMES)
  const result = await use(page)
  await page.close()
  return result
}

const menuOf = (page: Page) => page.getByRole('navigation', { name: 'Screens' })

const shown = (page: Page, range: string, total: number) =>
  page.getByText(`${range} of ${format.format(total)} assets`, { exact: true }).waitFor()

const open = (page: Page, assets: number) =>
  timed(page, 'open', 1, async () => {
    await menuOf(page).getByRole('link', { name: 'Assets' }).click()
    await shown(page, '1–50', assets)
  })

const find = (page: Page, assets: number) =>
  timed(page, 'find one by its key', SEARCHES, async (time) => {
    const number = Math.floor((assets / (SEARCHES + 1)) * (time + 1))
    await page.getByLabel('Search').fill(keyOf(number))
    await page.getByRole('link', { name: `Pallet ${number}` }).waitFor()
    await shown(page, '1–1', 1)
  })

export const firstLook = async (page: Page, assets: number): Promise<Action[]> => [
  await open(page, assets),
  await find(page, assets),
]

/** What a person does with a long table, each from the key or click until the rows are there. */
export async function useTable(page: Page, assets: number): Promise<Action[]> {
  const rows = (range: string) => shown(page, range, assets)
  return [
    await open(page, assets),
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
    await find(page, assets),
    await timed(page, 'clear the search', 1, async () => {
      await page.getByLabel('Search').fill('')
      await rows('1–50')
    }),
  ]
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
