import axe, { type Result, type RunOptions } from 'axe-core'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'

/** From a phone to a wide screen, in CSS pixels. */
const WIDTHS = [360, 768, 1600]
const OVERFLOW = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'
/** The rules whose result depends on the color scheme; the others run once. */
const COLOR_RULES = ['color-contrast', 'link-in-text-block']

/** axe finds nothing, of any impact, in light and dark mode, and the page does not scroll sideways at three widths. */
export async function expectAccessible(page: Page): Promise<void> {
  const before = page.viewportSize()
  await expectNoViolations(page, 'light', {})
  await expectNoViolations(page, 'dark', { runOnly: { type: 'rule', values: COLOR_RULES } })
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 900 })
    const overflow = await page.evaluate<number>(OVERFLOW)
    expect(overflow, `at ${width} pixels the page scrolls sideways`).toBeLessThanOrEqual(0)
  }
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
  if (before) await page.setViewportSize(before)
}

async function expectNoViolations(
  page: Page,
  colorScheme: 'light' | 'dark',
  options: RunOptions,
): Promise<void> {
  await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
  await page.locator(`html[data-mantine-color-scheme="${colorScheme}"]`).waitFor()
  if (!(await page.evaluate<boolean>('"axe" in window'))) await page.evaluate(axe.source)
  const run = JSON.stringify({ ...options, resultTypes: ['violations'] })
  const violations = await page.evaluate<Result[]>(
    `axe.run(document, ${run}).then(({ violations }) => violations)`,
  )
  const found = violations.map(
    ({ id, nodes }) => `${id}: ${nodes.map((node) => `${node.html} ${node.failureSummary}`).join('\n')}`,
  )
  expect(found, colorScheme).toEqual([])
}
