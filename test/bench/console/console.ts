import { createClient, unwrap } from '@whereabouts/client/client'
import { DATABASE } from '@whereabouts/deploy/database/roles'
import { startStack, type Stack } from '@whereabouts/deploy/local/stack'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import pg from 'pg'
import type { Browser } from 'playwright-core'
import { startBrowser } from '../../system/browser.ts'
import { verdictTable, type Verdict } from '../edge/report.ts'
import { median, table } from '../load/figures.ts'
import { fillAssets, type Login } from './fill.ts'
import { firstLoads, type FirstLoad } from './first-load.ts'
import { firstLook, usePage, useTable, type Action } from './use-table.ts'

export const CONSOLE_HELP = `pnpm bench console [flags]    the web app in a browser: first load, and the table of many assets

  --assets N        assets of the organization, 1000 to 400000       default 200000
`

const WANTED = { scriptKiB: 300, usableMs: 1_500, actionMs: 1_000, frameMs: 100 }

/** Starts the system on throwaway data, measures, prints. Answers whether every target was reached. */
export async function benchConsole(args: string[], say: (text: string) => void): Promise<boolean> {
  const { values } = parseArgs({ args, options: { assets: { type: 'string', default: '200000' } } })
  const assets = Number(values.assets)
  if (!(Number.isInteger(assets) && assets >= 1_000 && assets <= 400_000))
    throw new Error('--assets is 1000 to 400000')
  const folder = mkdtempSync(join(tmpdir(), 'whereabouts-bench-'))
  chmodSync(folder, 0o755) // as root, PostgreSQL runs as another user, who must get in
  let stack: Stack | undefined
  let browser: Browser | undefined
  try {
    stack = await startStack({ dataDir: join(folder, 'data') })
    browser = await startBrowser()
    return await measure(stack, browser, assets, say)
  } finally {
    await browser?.close()
    await stack?.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function measure(
  stack: Stack,
  browser: Browser,
  assets: number,
  say: (text: string) => void,
): Promise<boolean> {
  const { base } = stack.urls
  const login = await signUp(base)
  const loads = await firstLoads(browser, base)
  say(firstLoadTable(loads))
  say(`\nFilling in ${assets} assets …\n`)
  await fillAssets(base, login, assets)
  const after = await usePage(browser, base, login, (page) => firstLook(page, assets))
  say(actionTable(`Right after the import of ${assets} assets: the tables have no statistics yet`, after))
  await vacuum(stack)
  const actions = await usePage(browser, base, login, (page) => useTable(page, assets))
  say(actionTable(`The table of ${assets} assets`, actions))
  const verdicts = [...loadVerdicts(loads), ...actionVerdicts(actions)]
  say(verdictTable(verdicts))
  return verdicts.every(({ reached }) => reached)
}

/** What autovacuum does within a minute or two. */
async function vacuum({ urls: { postgres } }: Stack): Promise<void> {
  const url = new URL(postgres)
  url.pathname = `/${DATABASE}`
  const owner = new pg.Client({ connectionString: url.href })
  await owner.connect()
  await owner.query('vacuum analyze')
  await owner.end()
}

async function signUp(baseUrl: string): Promise<Login> {
  const login = { email: 'ada@example.com', password: 'correct horse battery' }
  const body = { org_name: 'Bench', name: 'Ada', ...login }
  const { access_token: token } = unwrap(
    await createClient({ baseUrl }).POST('/api/v1/auth/signup', { body }),
  ).data
  return { ...login, token }
}

const rounded = (value: number) => value.toFixed(0)

function firstLoadTable(loads: readonly FirstLoad[]): string {
  const rows = loads.map(({ name, scriptKiB, usableMs }) => [
    name,
    rounded(scriptKiB),
    rounded(median(usableMs)),
    rounded(Math.max(...usableMs)),
  ])
  const head = ['', 'script KiB, compressed', 'usable after ms, median', 'slowest']
  return `\nFirst load, nothing cached\n${table([head, ...rows])}\n`
}

function actionTable(title: string, actions: readonly Action[]): string {
  const rows = actions.map(({ name, shownMs, longestFrameMs }) => [
    name,
    String(shownMs.length),
    rounded(median(shownMs)),
    rounded(Math.max(...shownMs)),
    rounded(longestFrameMs),
  ])
  const head = ['', 'times', 'shown after ms, median', 'slowest', 'longest frame ms']
  return `\n${title}\n${table([head, ...rows])}\n`
}

const loadVerdicts = (loads: readonly FirstLoad[]): Verdict[] =>
  loads.flatMap(({ name, scriptKiB, usableMs }): Verdict[] => [
    {
      what: `${name}: compressed script`,
      wanted: `≤ ${WANTED.scriptKiB} KiB`,
      got: `${rounded(scriptKiB)} KiB`,
      reached: scriptKiB <= WANTED.scriptKiB,
    },
    {
      what: `${name}: usable`,
      wanted: `≤ ${WANTED.usableMs} ms`,
      got: `${rounded(median(usableMs))} ms`,
      reached: median(usableMs) <= WANTED.usableMs,
    },
  ])

const actionVerdicts = (actions: readonly Action[]): Verdict[] =>
  actions.flatMap(({ name, shownMs, longestFrameMs }): Verdict[] => [
    {
      what: `${name}: shown`,
      wanted: `≤ ${WANTED.actionMs} ms`,
      got: `${rounded(median(shownMs))} ms`,
      reached: median(shownMs) <= WANTED.actionMs,
    },
    {
      what: `${name}: longest frame`,
      wanted: `≤ ${WANTED.frameMs} ms`,
      got: `${rounded(longestFrameMs)} ms`,
      reached: longestFrameMs <= WANTED.frameMs,
    },
  ])
