import { readFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import type { Browser, BrowserContext, CDPSession, Page } from 'playwright-core'
import { launchFullBrowser } from '../../system/browser.ts'
import { quantile, table } from '../load/figures.ts'
import { readFlags } from '../load/flags.ts'
import { verdictTable, type Verdict } from '../load/verdict.ts'

export const HOUR_HELP = `pnpm bench hour [flags]      leave five tabs of a running npm start open: memory, longest task, delay of each click

  --minutes N       2 to 600                                             default 60
  --demo FILE       addresses and credentials, as npm start writes them  default .data/demo.json
`

type Demo = { base_url: string; admin: { email: string; password: string } }

const MINUTE_MS = 60_000
const TAB = { width: 1440, height: 900 }
const ANSWERED_MS = 200
/** Of the heap of a tab, after everything was loaded once. */
const GROWTH_MIB = 5
/** Paths of the tabs. `HERE` becomes a location of the demo. */
const TABS = ['/', '/floor', '/locations/HERE', '/movements', '/live']

/** Collects the longest task and the delay of each click, from the press to the next frame. */
const WATCH = `
  window.seen = { task: 0, clicks: [] }
  const each = (type, use, options) =>
    new PerformanceObserver((list) => list.getEntries().forEach(use)).observe({ type, buffered: true, ...options })
  each('longtask', ({ duration }) => { window.seen.task = Math.max(window.seen.task, duration) })
  each('event', ({ name, duration }) => { if (name === 'click') window.seen.clicks.push(duration) }, { durationThreshold: 16 })
`
type Seen = { task: number; clicks: number[] }

type Tab = {
  path: string
  page: Page
  tools: CDPSession
  heaps: number[]
  clicks: number[]
  answered: number
  task: number
}

/** Opens the tabs of the demo in one window, clicks in each once a minute, and prints a table. */
export async function benchHour(args: string[], say: (text: string) => void): Promise<boolean> {
  const { numbers, demo } = readFlags(
    args,
    { minutes: [2, 600, 60] },
    { demo: { type: 'string', default: '.data/demo.json' } },
  )
  const { base_url, admin } = JSON.parse(readFileSync(demo, 'utf8')) as Demo
  const browser = await launchFullBrowser()
  try {
    const context = await signedIn(browser, base_url, admin)
    const tabs = await openTabs(context)
    for (let minute = 1; minute <= numbers.minutes; minute += 1) {
      const until = Date.now() + MINUTE_MS
      for (const tab of tabs) await visit(tab)
      if (minute % 10 === 0)
        say(`  minute ${minute}: heap ${tabs.map(({ heaps }) => heaps.at(-1)?.toFixed(1)).join(', ')} MiB\n`)
      await wait(Math.max(0, until - Date.now()))
    }
    say(`\n${numbers.minutes} minutes in five tabs\n${tableOf(tabs)}\n`)
    const verdicts = tabs.flatMap((tab) => verdictsOf(tab, numbers.minutes))
    say(verdictTable(verdicts))
    return verdicts.every(({ reached }) => reached)
  } finally {
    await browser.close()
  }
}

async function signedIn(browser: Browser, baseURL: string, login: object): Promise<BrowserContext> {
  const context = await browser.newContext({ baseURL, viewport: TAB })
  await context.addInitScript(WATCH)
  const response = await context.request.post('/session/sign-in', {
    data: login,
    headers: { 'sec-fetch-site': 'same-origin' },
  })
  if (!response.ok()) throw new Error(`sign-in failed with status ${response.status()}`)
  return context
}

async function openTabs(context: BrowserContext): Promise<Tab[]> {
  const first = await context.newPage()
  await first.goto('/locations')
  const link = first.locator('a[href^="/locations/"]').first()
  const here = ((await link.getAttribute('href')) ?? '').split('/').at(-1) ?? ''
  await first.close()
  const tabs: Tab[] = []
  for (const path of TABS) {
    const page = await context.newPage()
    await page.goto(path.replace('HERE', here))
    await page.getByRole('heading', { level: 1 }).first().waitFor()
    const tools = await context.newCDPSession(page)
    tabs.push({ path, page, tools, heaps: [], clicks: [], answered: 0, task: 0 })
  }
  return tabs
}

/** Opens and closes the menu of the person, as any click would, and reads what the page has collected. */
async function visit(tab: Tab): Promise<void> {
  const { page, tools } = tab
  await page.bringToFront()
  await page.getByRole('button', { name: /: menu$/ }).click({ timeout: 30_000 })
  await page.getByRole('menuitem', { name: 'Date, time and zone' }).waitFor({ timeout: 30_000 })
  tab.answered += 1
  await page.keyboard.press('Escape')
  await tools.send('HeapProfiler.collectGarbage')
  tab.heaps.push((await tools.send('Runtime.getHeapUsage')).usedSize / 2 ** 20)
  const seen = await page.evaluate<Seen>('window.seen')
  tab.clicks = seen.clicks
  tab.task = seen.task
}

/** The second minute, when everything was loaded once. */
const settled = ({ heaps }: Tab) => heaps[1] ?? 0
const last = ({ heaps }: Tab) => heaps.at(-1) ?? 0

const tableOf = (tabs: readonly Tab[]) =>
  table([
    ['tab', 'heap at start', 'at end MiB', 'longest task ms', 'clicks answered', 'p50 ms', 'slowest ms'],
    ...tabs.map((tab) => [
      tab.path,
      settled(tab).toFixed(1),
      last(tab).toFixed(1),
      tab.task.toFixed(0),
      String(tab.answered),
      quantile(tab.clicks, 0.5).toFixed(0),
      Math.max(0, ...tab.clicks).toFixed(0),
    ]),
  ])

function verdictsOf(tab: Tab, minutes: number): Verdict[] {
  const slowest = Math.max(0, ...tab.clicks)
  const growth = last(tab) - settled(tab)
  return [
    {
      what: `${tab.path}: clicks answered, slowest`,
      wanted: `${minutes}, ≤ ${ANSWERED_MS} ms`,
      got: `${tab.answered}, ${slowest.toFixed(0)} ms`,
      reached: tab.answered === minutes && slowest <= ANSWERED_MS,
    },
    {
      what: `${tab.path}: growth of the heap`,
      wanted: `≤ ${GROWTH_MIB} MiB`,
      got: `${growth.toFixed(1)} MiB`,
      reached: growth <= GROWTH_MIB,
    },
  ]
}
