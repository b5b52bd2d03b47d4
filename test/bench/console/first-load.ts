import type { Browser } from 'playwright-core'

export type FirstLoad = { name: string; scriptKiB: number; usableMs: number[] }

const TIMES = 10
const SCREENS = [
  { name: 'sign in', path: '/sign-in', field: 'E-mail' },
  { name: 'sign up', path: '/sign-up', field: 'Organization' },
]

/** As the browser counts it: bytes on the wire of every script that was loaded, without headers. */
const SCRIPT_BYTES = `performance.getEntriesByType('resource')
  .filter(({ name }) => name.endsWith('.js')).reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0)`
/** Since the navigation began. */
const NOW = 'performance.now()'

/** From an empty cache until the first field takes text. */
export async function firstLoads(browser: Browser, base: string): Promise<FirstLoad[]> {
  const loads: FirstLoad[] = []
  for (const { name, path, field } of SCREENS) {
    const load: FirstLoad = { name, scriptKiB: 0, usableMs: [] }
    for (let time = 0; time < TIMES; time += 1) {
      const page = await browser.newPage()
      await page.goto(`${base}${path}`, { waitUntil: 'commit' })
      await page.getByLabel(field).fill('a')
      load.usableMs.push(await page.evaluate<number>(NOW))
      load.scriptKiB = (await page.evaluate<number>(SCRIPT_BYTES)) / 1024
      await page.close()
    }
    loads.push(load)
  }
  return loads
}
