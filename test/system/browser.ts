import { findChromium } from '@whereabouts/deploy/workshop/downloads/chromium'
import { ROOT } from '@whereabouts/deploy/installation/services'
import { join } from 'node:path'
import { chromium, type Browser, type Page } from 'playwright-core'

/**
 * Features that Playwright switches off and that stay off: those that send requests by themselves, and those that
 * break its control of pages; and one that only loads parts of the browser's own window ahead. All others are on, as
 * people have them: a later `--disable-features` replaces Playwright's.
 */
const DISABLED_FEATURES = [
  'AimEnabled',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'MediaRouter',
  'NetworkTimeServiceQuerying',
  'OptimizationHints',
  'PreconnectToSearch',
  'PreloadTopChromeWebUI',
]

/** Playwright starts browsers without it. People's browsers keep pages that were left, with their connections. */
const NOT_PLAYWRIGHTS = ['--disable-back-forward-cache']

/** The browser itself sends no requests: every request comes from a page. */
const QUIET = [
  `--disable-features=${DISABLED_FEATURES.join(',')}`,
  '--disable-gpu', // it would be emulated by a process of its own
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-domain-reliability',
  '--disable-sync',
  '--no-first-run',
  '--no-pings',
  // A name of this machine that browsers treat as another machine, for plain HTTP that is not to localhost.
  '--host-resolver-rules=MAP plain.example 127.0.0.1',
]

/** The script of the reference alone takes seconds on a busy machine. */
const PAGE_TIMEOUT_MS = 60_000

/** Pages of tests are left before optimized code pays for its compilation: a tenth of the processor time. */
const SHORT_LIVED = ['--js-flags=--no-maglev --no-turbofan']

async function launchOptions(name: Parameters<typeof findChromium>[0], args: readonly string[] = []) {
  const onNote = (note: string) => process.stdout.write(`  ${note}\n`)
  return {
    executablePath: await findChromium(name, { cacheDir: join(ROOT, '.cache/chromium'), onNote }),
    args: [...QUIET, ...args],
    ignoreDefaultArgs: NOT_PLAYWRIGHTS,
    chromiumSandbox: process.getuid?.() !== 0, // the sandbox does not work as root
  }
}

/** A browser without a window, the back/forward cache and optimizing compilers; else with its default features. */
export const launchBrowser = async (): Promise<Browser> =>
  chromium.launch(await launchOptions('chromium-headless-shell', SHORT_LIVED))

/** A browser as people have it, with the back/forward cache. A page costs more than twice the processor time. */
export const launchFullBrowser = async (): Promise<Browser> =>
  chromium.launch(await launchOptions('chromium'))

export type WatchedPage = {
  page: Page
  /** Every address that the page requested, except data: and blob: URLs. */
  requested: string[]
  /** Exceptions and console errors, such as a violation of the content security policy. */
  problems: string[]
}

/** A page in its own profile. A failed response is not a problem of the page. */
export async function newPage(browser: Browser): Promise<WatchedPage> {
  const page = await browser.newPage({ viewport: { width: 1400, height: 1000 } })
  page.setDefaultTimeout(PAGE_TIMEOUT_MS)
  const requested: string[] = []
  const problems: string[] = []
  page.on('request', (request) => {
    if (!/^(?:data|blob):/.test(request.url())) requested.push(request.url())
  })
  page.on('pageerror', (error) => problems.push(error.message))
  page.on('console', (message) => {
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      problems.push(message.text())
  })
  return { page, requested, problems }
}
