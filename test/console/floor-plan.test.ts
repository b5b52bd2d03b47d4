import { expect } from 'vitest'
import { newLocation } from '../system/organization.ts'
import { expectAccessible } from './support/accessible.ts'
import { test } from './support/visitor.fixture.ts'

const PLAN = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 2000 1000">
  <script>document.title = 'run'</script><rect width="2000" height="1000" fill="#ddd"/></svg>`

test('the floor is arranged by keyboard on an image, and another tab that saves later is told', async ({
  member,
  organization,
}) => {
  const { page } = member
  await newLocation(organization, 'Hall', 'HALL')
  await newLocation(organization, 'Yard', 'YARD')
  await member.open('/floor')
  const other = await page.context().newPage()
  await other.goto(page.url())

  await page.getByRole('button', { name: 'Arrange' }).click()
  await page.getByRole('button', { name: 'Start with the automatic layout' }).click()
  const stage = page.getByRole('group', { name: 'Plan' })
  const yard = stage.getByRole('button', { name: 'Yard' })
  const topOf = async () =>
    Number.parseFloat((await yard.getAttribute('style'))?.match(/top: ([\d.]+)/)?.[1] ?? '')
  const before = await topOf()
  await yard.focus()
  await page.keyboard.press('ArrowUp')
  await expect.poll(topOf).toBeLessThan(before)
  await stage.getByRole('button', { name: 'Corner 2', exact: true }).waitFor()
  await expectAccessible(page)
  await stage.getByRole('button', { name: 'Add a corner after corner 2' }).click()
  await stage.getByRole('button', { name: 'Corner 3', exact: true }).focus()
  await page.keyboard.press('ArrowRight')
  await stage.getByRole('button', { name: 'Hall' }).focus()
  await page.keyboard.press('Delete')
  await page.getByRole('button', { name: 'Place Hall' }).waitFor()

  const image = { name: 'plan.svg', mimeType: 'image/svg+xml', buffer: Buffer.from(PLAN) }
  await page.locator('input[type=file]').setInputFiles(image)
  await page.getByRole('button', { name: 'Remove image' }).waitFor()

  await other.getByRole('button', { name: 'Arrange' }).click()
  await other.getByRole('button', { name: 'Place Hall' }).click()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('button', { name: 'Yard 0 assets' }).waitFor()
  await page.locator('.floor-plan img[src^="data:image/svg"]').waitFor()
  await page.getByRole('button', { name: 'Hall 0 assets' }).waitFor() // beside the plan
  expect(await page.title()).toBe('Floor · Whereabouts')
  await expectAccessible(page)

  await other.getByRole('button', { name: 'Save' }).click()
  await other.getByText('Somebody else changed this plan').waitFor()
  await other.close()
})
