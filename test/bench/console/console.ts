import type { Stack } from '@whereabouts/deploy/workshop/stack/stack'
import type { Browser, Page } from 'playwright-core'
import { withNow } from '../against/systems.ts'
import { launchFullBrowser } from '../../system/browser.ts'
import { newOrganization, type Organization } from '../../system/organization.ts'
import { quantile, table } from '../load/figures.ts'
import { readFlags } from '../load/flags.ts'
import { atMost, verdictTable, type Verdict } from '../load/verdict.ts'
import { fillAssets, fillFloor, type FloorData } from './fill.ts'
import { framesOf, slopeOf, type Frames } from './frames.ts'

export const CONSOLE_HELP = `pnpm bench console [flags]   measure in a browser: frames of a played day, memory of a floor on a wall, delay of Ctrl-K

  --seconds N       time of each playback, 5 to 120                      default 20
  --wall N          seconds of the wall, 30 to 600                       default 120
  --only NAME       playback, crowd, wall or finder
`

const SCREEN = { width: 1440, height: 900 }
/** Large enough for a dot for each of 5 000 assets. */
const WALL = { width: 2560, height: 1440 }
const SIZES = {
  playback: { assets: 500, locations: 20, minutesBetweenMoves: 5 },
  crowd: { assets: 5_000, locations: 110, minutesBetweenMoves: 40 },
} as const

const FINDER = { assets: 200_000, searches: 30 }

/** Movements a second on the wall. The demo has 76 a minute: a minute here is an hour there. */
const WALL_MOVES = 76
const SAMPLE_SECONDS = 5

type Bench = {
  stack: Stack
  browser: Browser
  seconds: number
  wallSeconds: number
  say: (text: string) => void
}

const NUMBERS = { seconds: [5, 120, 20], wall: [30, 600, 120] } as const

/** Starts the product on throwaway data, opens the console in a browser, and prints tables. */
export async function benchConsole(args: string[], say: (text: string) => void): Promise<boolean> {
  const { numbers, only } = readFlags(args, NUMBERS, { only: { type: 'string', default: '' } })
  const settings = { seconds: numbers.seconds, wallSeconds: numbers.wall }
  const browser = await launchFullBrowser()
  try {
    return await withNow({ say }, async ({ stack }) => {
      const bench = { stack, browser, say, ...settings }
      const verdicts: Verdict[] = []
      const wants = (name: string) => only === '' || only === name
      if (wants('playback') || wants('wall')) verdicts.push(...(await measureFloor(bench, only)))
      if (wants('crowd')) verdicts.push(await measureCrowd(bench))
      if (wants('finder')) verdicts.push(await measureFinder(bench))
      say(verdictTable(verdicts))
      return verdicts.every(({ reached }) => reached)
    })
  } finally {
    await browser.close()
  }
}

async function measureFloor(bench: Bench, only: string): Promise<Verdict[]> {
  const org = await newOrganization(bench.stack, 'Bench')
  const data = await fillFloor(bench.stack, org, SIZES.playback)
  const page = await openConsole(bench, org, SCREEN)
  const verdicts: Verdict[] = []
  if (only !== 'wall') {
    const frames = await playDay(page, bench, data)
    bench.say(tableOf('A day of 500 assets at 600 times', frames))
    verdicts.push({
      what: 'playback of 500 assets: p95 of a frame',
      wanted: '≤ 33 ms',
      got: `${frames.p95.toFixed(1)} ms (${frames.perSecond.toFixed(0)} frames a second)`,
      reached: frames.p95 <= 33,
    })
  }
  if (only !== 'playback') verdicts.push(await measureWall(page, bench, org, data))
  await page.context().close()
  return verdicts
}

async function measureCrowd(bench: Bench): Promise<Verdict> {
  const org = await newOrganization(bench.stack, 'Crowd')
  const data = await fillFloor(bench.stack, org, SIZES.crowd)
  const page = await openConsole(bench, org, WALL)
  const frames = await playDay(page, bench, data)
  await page.context().close()
  bench.say(tableOf('A day of 5,000 assets at 600 times', frames))
  return {
    what: 'playback of 5,000 assets: frames a second',
    wanted: '≥ 30',
    got: frames.perSecond.toFixed(1),
    reached: frames.perSecond >= 30,
  }
}

/** From the last key to the asset in the list of results. Typing pauses once, as with a scanner. */
async function measureFinder(bench: Bench): Promise<Verdict> {
  const org = await newOrganization(bench.stack, 'Finder')
  await fillAssets(bench.stack, org, FINDER.assets)
  const page = await openConsole(bench, org, SCREEN)
  await page.goto('/readers')
  await page.getByRole('button', { name: 'Find anything' }).waitFor()
  const delays: number[] = []
  for (let n = 0; n < FINDER.searches; n += 1) {
    const wanted = `ASSET-${(n * 7_919 + 12_345) % FINDER.assets}`
    await page.keyboard.press('Control+k')
    await page.getByRole('textbox', { name: 'Find' }).fill(wanted.slice(0, -1))
    await page.keyboard.press('End')
    const startedAt = performance.now()
    await page.keyboard.type(wanted.slice(-1))
    await page
      .getByRole('dialog')
      .locator('[data-action]')
      .getByText(wanted, { exact: true })
      .first()
      .waitFor()
    delays.push(performance.now() - startedAt)
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
  }
  await page.context().close()
  const [p50, p95] = [quantile(delays, 0.5), quantile(delays, 0.95)]
  return {
    what: `Ctrl-K among ${FINDER.assets.toLocaleString('en')} assets: p95 from the last key to the result`,
    wanted: '≤ 150 ms',
    got: `${p95.toFixed(0)} ms (p50 ${p50.toFixed(0)} ms)`,
    reached: p95 <= 150,
  }
}

/** Signed in, without a picture yet. */
async function openConsole(
  { stack, browser }: Bench,
  { login }: Organization,
  viewport: typeof SCREEN,
): Promise<Page> {
  const context = await browser.newContext({ baseURL: stack.urls.base, viewport, timezoneId: 'UTC' })
  const headers = { 'sec-fetch-site': 'same-origin' }
  const response = await context.request.post('/session/sign-in', { data: login, headers })
  if (!response.ok()) throw new Error(`sign-in failed with status ${response.status()}`)
  return context.newPage()
}

async function playDay(page: Page, { seconds, say }: Bench, { day, moves }: FloorData): Promise<Frames> {
  const startedAt = performance.now()
  const answered = page.waitForResponse(/movements\/playback/)
  await page.goto(`/floor?span=day&day=${day}&at=${day}T06:00:00.000Z&speed=600&playing=yes`)
  const response = await answered
  const { responseBodySize } = await response.request().sizes()
  await page.getByRole('button', { name: 'Pause' }).waitFor()
  const readyMs = performance.now() - startedAt
  say(
    `  ${moves} movements: ${(responseBodySize / 1024).toFixed(0)} KiB compressed, ` +
      `${response.request().timing().responseEnd.toFixed(0)} ms, on the screen after ${readyMs.toFixed(0)} ms\n`,
  )
  return framesOf(page, seconds)
}

const tableOf = (title: string, { perSecond, p50, p95, p99, longest }: Frames) =>
  `\n${title}\n${table([
    ['', 'frames a second', 'p50 ms', 'p95 ms', 'p99 ms', 'longest ms'],
    ['', ...[perSecond, p50, p95, p99, longest].map((value) => value.toFixed(1))],
  ])}\n`

/** The floor stays open while everything moves as fast as on the demo in an hour a minute. */
async function measureWall(page: Page, bench: Bench, org: Organization, data: FloorData): Promise<Verdict> {
  await page.goto('/floor')
  await page.getByText('Connected').waitFor()
  const devtools = await page.context().newCDPSession(page)
  const heap = async () => {
    await devtools.send('HeapProfiler.collectGarbage')
    return ((await devtools.send('Runtime.getHeapUsage')) as { usedSize: number }).usedSize / 2 ** 20
  }
  const samples: { at: number; value: number }[] = []
  const startedAt = performance.now()
  const passed = () => (performance.now() - startedAt) / 1000
  let saves = 0
  while (passed() < bench.wallSeconds) {
    await data.save(org, saves, WALL_MOVES)
    saves += 1
    if (saves % SAMPLE_SECONDS === 0) samples.push({ at: passed() / 60, value: await heap() })
    await page.waitForTimeout(Math.max(0, startedAt + saves * 1000 - performance.now()))
  }
  const settled = samples.slice(Math.floor(samples.length / 4)) // the first minute fills caches
  const slope = slopeOf(settled)
  bench.say(
    `\nA wall: ${saves * WALL_MOVES} movements in ${passed().toFixed(0)} s, heap of the page in MiB\n` +
      `${table([
        ['hour', ...samples.map(({ at }) => at.toFixed(1))],
        ['MiB', ...samples.map(({ value }) => value.toFixed(1))],
      ])}\n`,
  )
  return atMost('a wall: growth of the heap in an hour of the demo', 0.5, [slope], 'MiB')
}
