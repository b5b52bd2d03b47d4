import { findChromium } from '@whereabouts/deploy/local/servers/chromium'
import { ROOT } from '@whereabouts/deploy/local/services'
import { join } from 'node:path'
import { chromium, type Browser, type BrowserServer, type Page } from 'playwright-core'

/** Nothing of the browser itself may go anywhere: what leaves, leaves because of a page. */
const QUIET = [
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-domain-reliability',
  '--disable-sync',
  '--no-first-run',
  '--no-pings',
  // A name of this machine that browsers do not take for this machine: plain HTTP to it is to a stranger.
  '--host-resolver-rules=MAP plain.example 127.0.0.1',
]

/** The script of the reference alone takes seconds on a busy machine. */
const PAGE_TIMEOUT_MS = 60_000

async function launchOptions() {
  const onNote = (note: string) => process.stdout.write(`  ${note}\n`)
  return {
    executablePath: await findChromium({ cacheDir: join(ROOT, '.cache/chromium'), onNote }),
    args: QUIET,
    chromiumSandbox: process.getuid?.() !== 0, // root has no user namespace to be shut into
  }
}

/** A browser that several test workers share: each connects to `wsEndpoint()`. */
export const startBrowserServer = async (): Promise<BrowserServer> =>
  chromium.launchServer(await launchOptions())

export type WatchedPage = {
  page: Page
  /** Every address the page asked for, without those inside it. */
  requested: string[]
  /** Exceptions and what the console calls an error, such as a violation of the content security policy. */
  problems: string[]
}

/** A page in a profile of its own. A failed response is not a problem of the page. */
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
