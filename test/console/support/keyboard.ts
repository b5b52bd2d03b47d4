import type { Locator, Page } from 'playwright-core'

/** More than any screen has tab stops. */
const MOST_STOPS = 120

/** Presses Tab until the element has the focus. */
export async function tabTo(page: Page, element: Locator): Promise<void> {
  await element.waitFor()
  for (let stops = 0; stops < MOST_STOPS; stops += 1) {
    if (await hasFocus(element)) return
    await page.keyboard.press('Tab')
  }
  throw new Error(`${String(element)} cannot be reached with the Tab key`)
}

export const hasFocus = (element: Locator): Promise<boolean> =>
  element.evaluate((node) => node === node.ownerDocument.activeElement)

/** Moves to a field by Tab and types. */
export async function typeInto(page: Page, field: Locator, text: string): Promise<void> {
  await tabTo(page, field)
  await page.keyboard.type(text)
}

export async function press(page: Page, element: Locator, key: 'Enter' | 'Space' = 'Enter'): Promise<void> {
  await tabTo(page, element)
  await page.keyboard.press(key)
}
