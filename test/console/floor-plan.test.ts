import { unwrap } from '@whereabouts/client/client'
import { expect } from 'vitest'
import { newLocation } from '../system/organization.ts'
import { expectAccessible } from './support/accessible.ts'
import { test } from './support/visitor.fixture.ts'

const PLAN = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 2000 1000">
  <title>run</title><rect width="2000" height="1000" fill="#ddd"/></svg>`

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

const picture = (width: number, height: number) => ({
  name: 'plan.svg',
  mimeType: 'image/svg+xml',
  buffer: Buffer.from(
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><rect width="${width}" height="${height}"/></svg>`,
  ),
})

test('a picture is saved with Save alone, keeps all rooms on it, and can be taken back', async ({
  member,
  organization,
}) => {
  const { page } = member
  const yard = await newLocation(organization, 'Yard', 'YARD')
  const planNow = async () => unwrap(await organization.admin.GET('/api/v1/floor-plans')).data[0]
  const put = { params: { path: { place: 'all' } } }
  const points = [[0, 4000], [10_000, 4000], [10_000, 6250], [0, 6250]] // oxfmt-ignore
  const body = { zones: [{ location_id: yard, points }], readers: [], version: 0 }
  unwrap(await organization.admin.PUT('/api/v1/floor-plans/{place}', { ...put, body }))

  await member.open('/floor')
  const choose = async (width: number, height: number) => {
    await page.getByRole('button', { name: 'Arrange' }).click()
    await page.locator('input[type=file]').setInputFiles(picture(width, height))
    await page.getByRole('button', { name: 'Remove image' }).waitFor()
  }
  await choose(1600, 400)
  await page.locator('.plan-paper img[src^="data:image/svg"]').waitFor()
  await page.getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('button', { name: 'Yard 0 assets' }).waitFor()
  expect(await planNow()).toMatchObject({ version: 1, image: null, zones: [{ points }] })

  await choose(1600, 400)
  await page.getByRole('button', { name: 'Save' }).click()
  await page.locator('.floor-plan img.floor-image').waitFor()
  const wide = await planNow()
  expect(wide).toMatchObject({ image: { width: 1600, height: 400 } })
  expect(Math.max(...(wide?.zones[0]?.points.map(([, y = 0]) => y) ?? []))).toBe(2500)

  await choose(400, 1600)
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('The image of the floor was replaced.').waitFor()
  expect(await planNow()).toMatchObject({ image: { width: 400, height: 1600 } })
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByText('The floor is as it was before.').waitFor()
  expect(await planNow()).toMatchObject({ image: wide?.image, zones: wide?.zones })

  await page.getByRole('button', { name: 'Arrange' }).click()
  await page.getByRole('button', { name: 'Remove image' }).click()
  await page.getByRole('button', { name: 'Cancel' }).click()
  expect(await planNow()).toMatchObject({ image: wide?.image })

  // The zones could not be saved: the next attempt does not take the own image for somebody else's change.
  const plan = '**/api/v1/floor-plans/all'
  await page.route(plan, (route) => route.abort())
  await choose(800, 800)
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('The server cannot be reached').waitFor()
  await page.unroute(plan)
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('The image of the floor was replaced.').waitFor()
  expect(await planNow()).toMatchObject({ image: { width: 800 } })
})

test('an image that cannot be used is refused before anything is saved', async ({ member, organization }) => {
  const { page } = member
  await newLocation(organization, 'Yard', 'YARD')
  await member.open('/floor')
  await page.getByRole('button', { name: 'Arrange' }).click()
  const text = { name: 'plan.png', mimeType: 'image/png', buffer: Buffer.from('no image') }
  await page.locator('input[type=file]').setInputFiles(text)
  await page.getByText('This image cannot be used').waitFor()
  await page.locator('input[type=file]').setInputFiles(picture(9000, 10))
  await page.getByText('It is larger than 8,000 pixels.').waitFor()
  await expect.poll(() => page.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true)
})
