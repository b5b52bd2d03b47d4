import { expect } from 'vitest'
import { newAsset, newLocation } from '../system/organization.ts'
import { readAt } from './support/readings.ts'
import { envelope } from './support/refused.ts'
import { test } from './support/visitor.fixture.ts'

test('a time is reached by keyboard: minutes, ten minutes, the ends, and typed', async ({
  member,
  organization,
}) => {
  const { page } = member
  await newLocation(organization, 'Dock', 'DOCK')
  const { id } = await newAsset(organization, 'Forklift 7', [{ tag_type: 'rfid', value: 'E2801160' }])
  await readAt(organization, { id, tag: 'E2801160' }, [{ location: 'DOCK', hoursAgo: 5 }])
  await member.open('/floor?span=8h')
  const slider = page.getByRole('slider', { name: 'Instant' })
  await slider.focus()
  const at = async () => Number(await slider.getAttribute('aria-valuenow'))
  const [from, to] = [await slider.getAttribute('aria-valuemin'), await slider.getAttribute('aria-valuemax')]
  for (const [key, want] of [
    ['PageUp', 600_000],
    ['ArrowRight', 660_000],
    ['ArrowDown', 600_000],
    ['PageDown', 0],
  ] as const) {
    await page.keyboard.press(key)
    await expect.poll(async () => [key, (await at()) - Number(from)]).toEqual([key, want])
  }
  await page.keyboard.press('End')
  await expect.poll(at).toBe(Number(to))
  await page.keyboard.press('Home')
  await expect.poll(at).toBe(Number(from))
  expect(await slider.getAttribute('aria-valuetext')).toMatch(/^\d+ \w+ \d{4}, \d\d:\d\d \(\d\d:\d\d:\d\d\)$/)

  const wanted = new Date(Number(to) - 3_600_000)
  const berlin = new Intl.DateTimeFormat('en-GB', { timeStyle: 'short', timeZone: 'Europe/Berlin' }).format(
    wanted,
  )
  const field = page.getByLabel('Time of day')
  // At once: a browser that is slow takes digits with a pause between them for different parts of the time.
  await field.fill(berlin)
  await expect.poll(() => slider.getAttribute('aria-valuetext')).toContain(`${berlin} (${berlin}:00)`)
})

test('a link to the past never shows now: not while it loads, not when it fails, not for a day to come', async ({
  member,
  organization,
}) => {
  const { page } = member
  await newLocation(organization, 'Dock', 'DOCK')
  const { id } = await newAsset(organization, 'Forklift 7', [{ tag_type: 'rfid', value: 'E2801161' }])
  await readAt(organization, { id, tag: 'E2801161' }, [{ location: 'DOCK', hoursAgo: 5 }])
  const picture = page.locator('.floor-screen')
  const held = Promise.withResolvers<void>()
  await page.route('**/api/v1/movements/playback*', async (route) => {
    await held.promise
    await route.fulfill(envelope('forbidden', 'Not for now', 403))
  })
  await member.open('/floor?span=8h')
  await page.getByText('Loading that time…').waitFor({ state: 'attached' })
  expect(await picture.count()).toBe(0)
  held.resolve()
  await page.getByRole('alert').getByText('Not for now').waitFor()
  expect(await picture.count()).toBe(0)
  await page.unrouteAll({ behavior: 'wait' })
  await page.getByRole('button', { name: 'Try again' }).click()
  await picture.waitFor()
  await page.getByText('Past', { exact: true }).waitFor()
  await page.getByRole('link', { name: 'As a list' }).click()
  await page.getByText(/^Where everything was on /).waitFor()

  await member.open('/floor?span=day&day=2999-01-01')
  await page.getByText('This day has not begun').waitFor()
  expect(await picture.count()).toBe(0)
  await page.getByText('Live', { exact: true }).click()
  await picture.waitFor()
})
