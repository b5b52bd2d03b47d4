import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'

/** From a phone to a wide screen, in CSS pixels. */
const WIDTHS = [360, 768, 1600]
const OVERFLOW = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'
const SERIOUS = new Set<string | null | undefined>(['serious', 'critical'])

/** axe finds nothing serious in light and dark mode, and the page does not scroll sideways at three widths. */
export async function expectAccessible(page: Page): Promise<void> {
  const before = page.viewportSize()
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    await page.locator(`html[data-mantine-color-scheme="${colorScheme}"]`).waitFor()
    const { violations } = await new AxeBuilder({ page }).analyze()
    const found = violations.filter(({ impact }) => SERIOUS.has(impact))
    const shown = found.map(
      ({ id, nodes }) =>
        `${colorScheme}: ${id}: ${nodes.map(({ html, failureSummary }) => `${html} ${failureSummary}`).join('\n')}`,
    )
    expect(shown).toEqual([])
  }
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 900 })
    const overflow = await page.evaluate<number>(OVERFLOW)
    expect(overflow, `at ${width} pixels the page scrolls sideways`).toBeLessThanOrEqual(0)
  }
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
  if (before) await page.setViewportSize(before)
}
