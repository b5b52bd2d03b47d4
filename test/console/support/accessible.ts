import axe, { type Result, type RunOptions } from 'axe-core'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'

const PHONE = 360
/** From a phone to a wide screen, in CSS pixels. */
const WIDTHS = [PHONE, 768, 1600]
const OVERFLOW = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'
/** The rules whose result depends on the color scheme; the others run once. */
const COLOR_RULES = ['color-contrast', 'link-in-text-block']

/**
 * axe finds nothing, of any impact, in light and dark mode. The page does not scroll sideways at three widths, and on a
 * phone nothing on it does, nothing reaches beyond the screen, and no text is cut.
 */
export async function expectAccessible(page: Page): Promise<void> {
  const before = page.viewportSize()
  await expectNoViolations(page, 'light', {})
  await expectNoViolations(page, 'dark', { runOnly: { type: 'rule', values: COLOR_RULES } })
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 900 })
    const overflow = await page.evaluate<number>(OVERFLOW)
    expect(overflow, `at ${width} pixels the page scrolls sideways`).toBeLessThanOrEqual(0)
    if (width === PHONE) expect(await page.evaluate<string[]>(NOT_FITTING), 'on a phone').toEqual([])
  }
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
  if (before) await page.setViewportSize(before)
}

/** Visible elements that scroll sideways, reach beyond the screen, or cut their text. */
const NOT_FITTING = `(() => {
  const width = document.documentElement.clientWidth
  const found = []
  const scrolls = (style) => style.overflowX === 'auto' || style.overflowX === 'scroll'
  const visit = (element) => {
    const style = getComputedStyle(element)
    const box = element.getBoundingClientRect()
    if (style.display === 'none' || style.visibility === 'hidden') return
    if (style.clipPath !== 'none' || style.clip !== 'auto') return // for screen readers only
    if (element.matches('pre, svg, input, textarea, [aria-hidden="true"]')) return
    const name = element.tagName.toLowerCase() + ' "' + element.textContent.trim().slice(0, 60) + '"'
    const isWider = element.scrollWidth > element.clientWidth + 1
    const isShown = box.width > 0 && box.left < width && box.right > 0
    if (isShown && box.right > width + 1) found.push('beyond the screen: ' + name)
    else if (isWider && scrolls(style)) found.push('scrolls sideways: ' + name)
    else if (isWider && style.textOverflow === 'ellipsis') found.push('cut: ' + name)
    else for (const child of element.children) visit(child)
  }
  visit(document.body)
  return found
})()`

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
