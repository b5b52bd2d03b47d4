import axe, { type Result, type RunOptions } from 'axe-core'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'

const PHONE = 360
/** From a phone to a wide screen, in CSS pixels. */
const WIDTHS = [PHONE, 768, 1600]
const OVERFLOW = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'
/** Not on by default, and not for the documentation, whose frame is not ours: targets are 24 pixels high, or have room around them. */
const SIZES: NonNullable<RunOptions['rules']> = { 'target-size': { enabled: true } }
/** The rules whose result depends on the color scheme; the others run once. */
const COLOR_RULES = ['color-contrast', 'link-in-text-block']

/** Screens and dialogs that were seen in both color schemes and at all widths. */
const seen = new Set<string>()

/**
 * Fails if `problemsOf` finds something: the first time on a screen or dialog everything, in a further state of it
 * what axe finds in light mode, and what does not fit on a phone.
 */
export async function expectAccessible(page: Page): Promise<void> {
  const place = await placeOf(page)
  const isNew = !seen.has(place)
  seen.add(place)
  expect(await problemsOf(page, isNew ? WIDTHS : [PHONE], isNew, { rules: SIZES }), place).toEqual([])
}

/** The address without ids, and the titles of open dialogs. */
async function placeOf(page: Page): Promise<string> {
  const dialogs = await page.getByRole('dialog').getByRole('heading').allTextContents()
  return [new URL(page.url()).pathname.replaceAll(/\d+/g, '#'), ...dialogs].join(' > ')
}

/**
 * What axe finds, of any impact, in light and dark mode; at the widths whether the page scrolls sideways and what is
 * cut; and on a phone what else scrolls sideways or reaches beyond the screen.
 */
export async function problemsOf(
  page: Page,
  widths = WIDTHS,
  inDark = true,
  options: RunOptions = {},
): Promise<string[]> {
  const before = page.viewportSize()
  const found = await violationsOf(page, 'light', options)
  const colors: RunOptions = { runOnly: { type: 'rule', values: COLOR_RULES } }
  if (inDark) found.push(...(await violationsOf(page, 'dark', colors)))
  for (const width of widths) {
    await page.setViewportSize({ width, height: 900 })
    if ((await page.evaluate<number>(OVERFLOW)) > 0) found.push(`scrolls sideways at ${width} pixels`)
    found.push(...(await notFitting(page, width === PHONE ? '' : CUT)))
  }
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
  if (before) await page.setViewportSize(before)
  return found
}

/** What does not fit once the page has followed the new width: charts draw again a moment later. */
async function notFitting(page: Page, only: string): Promise<string[]> {
  // Not page.waitForFunction: it evaluates a string inside the page, which the content security policy forbids.
  const found = async () =>
    (await page.evaluate<string[]>(NOT_FITTING)).filter((each) => each.startsWith(only))
  await expect
    .poll(found, { timeout: 2_000 })
    .toEqual([])
    .catch(() => undefined)
  return found()
}

/** On wider screens tables may scroll; text is never cut. */
const CUT = 'cut: '

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
    else if (isWider && style.textOverflow === 'ellipsis') found.push('cut: ' + name)
    else {
      if (isWider && scrolls(style)) found.push('scrolls sideways: ' + name)
      for (const child of element.children) visit(child)
    }
  }
  visit(document.body)
  return found
})()`

/** Of the console, and of the documentation. */
const SCHEME_MARKS = {
  light: 'html[data-mantine-color-scheme="light"], html:not([data-mantine-color-scheme], .dark)',
  dark: 'html[data-mantine-color-scheme="dark"], html.dark',
}

async function violationsOf(
  page: Page,
  colorScheme: 'light' | 'dark',
  options: RunOptions,
): Promise<string[]> {
  await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
  await page.locator(SCHEME_MARKS[colorScheme]).waitFor()
  if (!(await page.evaluate<boolean>('"axe" in window'))) await page.evaluate(axe.source)
  const run = JSON.stringify({ ...options, resultTypes: ['violations'] })
  const violations = await page.evaluate<Result[]>(
    `axe.run(document, ${run}).then(({ violations }) => violations)`,
  )
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id} (${colorScheme}): ${html} ${failureSummary}`),
  )
}
