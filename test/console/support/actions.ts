import type { Page } from 'playwright-core'

/** Counts what a person does: a field filled, a click and a form submitted with Enter are one action each. */
export function countActions(page: Page) {
  const startedAt = performance.now()
  let count = 0
  return {
    async fill(label: string, text: string): Promise<void> {
      count += 1
      await page.getByRole('textbox', { name: label }).fill(text)
    },
    /** With Enter, in the field that has the focus. */
    async submit(): Promise<void> {
      count += 1
      await page.keyboard.press('Enter')
    },
    async click(button: string): Promise<void> {
      count += 1
      await page.getByRole('button', { name: button, exact: true }).click()
    },
    get count() {
      return count
    },
    get seconds() {
      return (performance.now() - startedAt) / 1_000
    },
  }
}
