import { expect } from 'vitest'
import { newAsset, newLocation, type Organization } from '../system/organization.ts'
import { expectAccessible } from './support/accessible.ts'
import { isLive } from './support/tabs.ts'
import { test } from './support/visitor.fixture.ts'

const save = async (org: Organization, assets: string[], location: string) => {
  const body = { asset_identifiers: assets, location_identifier: location }
  const { response } = await org.integrator.POST('/api/v1/inventory/save', { body })
  expect(response.status).toBe(201)
}

/** A hall with two docks, and a yard. */
async function scene(org: Organization) {
  const hall = await newLocation(org, 'Hall', 'HALL')
  for (const n of [1, 2]) {
    const body = { name: `Dock ${n}`, external_key: `DOCK-${n}`, parent_id: hall }
    expect((await org.integrator.POST('/api/v1/locations', { body })).response.status).toBe(201)
  }
  await newLocation(org, 'Yard', 'YARD')
  const forklift = await newAsset(org, 'Forklift 7', [])
  await save(org, [forklift.external_key], 'DOCK-1')
  return { hall, forklift }
}

test('the floor draws itself, follows movements, and says what is in a room', async ({
  member,
  organization,
}) => {
  const { page } = member
  const { forklift } = await scene(organization)
  await member.open('/floor')
  const room = (name: string) => page.getByRole('button', { name, exact: true })
  await room('Hall 1 asset, 2 sub-locations').waitFor()
  await room('Dock 1 1 asset').waitFor()
  await room('Yard 0 assets').waitFor()
  await expectAccessible(page)

  await isLive(page)
  await save(organization, [forklift.external_key], 'YARD')
  await room('Yard 1 asset').waitFor()
  await room('Hall 0 assets, 2 sub-locations').waitFor()

  await room('Yard 1 asset').focus()
  await page.keyboard.press('Enter')
  await page.waitForURL(/selected=room-\d+/)
  const panel = page.getByRole('region', { name: 'Selected' })
  await panel.getByRole('button', { name: 'Forklift 7' }).click()
  await panel.getByRole('heading', { name: 'Forklift 7' }).waitFor()
  await panel.getByText('In Yard').waitFor()
  await expectAccessible(page)
  await page.getByRole('button', { name: /: menu$/ }).click()
  await page.getByRole('menuitem', { name: 'Date, time and zone' }).click()
  await panel.getByText(/Last seen .*\d{4}.* \d+:\d\d:\d\d/).waitFor()
  await panel.getByRole('link', { name: 'Open asset' }).click()
  await page.getByRole('heading', { name: 'Forklift 7', level: 1 }).waitFor()
})

type Spot = { x: number; y: number }

/** Where on the page the first dot is drawn; null while there is none. */
const DOT = `(() => {
  const canvas = document.querySelector('.floor-plan canvas')
  if (!canvas?.width || !canvas.height) return null
  const { data, width } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height)
  const alpha = data.findIndex((value, i) => i % 4 === 3 && value === 255)
  if (alpha === -1) return null
  const pixel = (alpha - 3) / 4
  const box = canvas.getBoundingClientRect()
  return {
    x: box.left + (pixel % width) / devicePixelRatio,
    y: box.top + Math.floor(pixel / width) / devicePixelRatio,
  }
})()`

test('a dot says what it is, and a view can be sent to somebody', async ({ member, organization }) => {
  const { page } = member
  const { hall, forklift } = await scene(organization)
  await member.open(`/floor?room=${hall}`)
  await page.getByRole('button', { name: 'Dock 1 1 asset' }).waitFor()
  await expect.poll(() => page.evaluate<Spot | null>(DOT)).not.toBeNull()
  const spot = await page.evaluate<Spot>(DOT)
  await page.mouse.move(spot.x, spot.y)
  await page.getByText('Forklift 7').waitFor()
  await page.mouse.down()
  await page.mouse.up()
  await page.waitForURL(`**/floor?room=${hall}&selected=asset-${forklift.id}`)
  await page.reload()
  await page.getByRole('region', { name: 'Selected' }).getByRole('heading', { name: 'Forklift 7' }).waitFor()
  await page.getByRole('button', { name: 'Everything' }).click()
  await page.getByRole('button', { name: 'Yard 0 assets' }).waitFor()
})

test('an empty organization gets a next step; the overview and a location show the floor', async ({
  member,
  organization,
}) => {
  const { page } = member
  await member.open('/floor')
  await page.getByText('No locations yet').waitFor()
  await expectAccessible(page)
  const { hall } = await scene(organization)
  await member.open('/')
  const card = page.getByRole('region', { name: 'Floor' })
  await card.getByRole('button', { name: 'Dock 1 1 asset' }).waitFor()
  await card.getByRole('link', { name: 'Fill the window' }).click()
  await page.getByRole('heading', { name: 'Floor', level: 1 }).waitFor()
  await member.open(`/locations/${hall}`)
  await card.getByRole('button', { name: 'Dock 2 0 assets' }).waitFor()
  expect(await card.getByRole('button', { name: /^Yard/ }).count()).toBe(0)
})

test('the last hour is played back, movement by movement, and the address keeps the moment', async ({
  member,
  organization,
}) => {
  const { page } = member
  const { forklift } = await scene(organization)
  await member.open('/floor')
  const room = (name: string) => page.getByRole('button', { name, exact: true })
  await room('Dock 1 1 asset').waitFor()
  await page.getByText('Last hour').click()
  const time = page.getByRole('region', { name: 'Time' })
  await time.getByText('1 movement', { exact: true }).waitFor()
  await room('Dock 1 0 assets').waitFor()
  await expectAccessible(page)
  await time.getByRole('button', { name: 'Next movement' }).click()
  await room('Dock 1 1 asset').waitFor()
  await expect.poll(() => time.getByRole('button', { name: 'Next movement' }).isDisabled()).toBe(true)
  await page.reload()
  await room('Dock 1 1 asset').waitFor()
  await time.getByRole('slider', { name: 'Instant' }).focus()
  await page.keyboard.press('Home')
  await room('Dock 1 0 assets').waitFor()
  await time.getByLabel('Speed').click()
  await page.getByRole('option', { name: '600 ×' }).click()
  await time.getByRole('button', { name: 'Play' }).click()
  await room('Dock 1 1 asset').waitFor()
  await page.getByText('Live', { exact: true }).last().click()
  await save(organization, [forklift.external_key], 'YARD')
  await room('Yard 1 asset').waitFor()
})

test('rooms show dwell or movements of a time instead of assets, and the address has it', async ({
  member,
  organization,
}) => {
  const { page } = member
  await scene(organization)
  await member.open('/floor')
  const room = (name: string | RegExp) => page.getByRole('button', { name, exact: true })
  const choice = page.getByRole('region', { name: 'Rooms' })
  await choice.getByText(/out of the most at the same time/).waitFor()
  await choice.getByText('Movements', { exact: true }).click()
  await room('Dock 1 1 arrival, 1 asset').waitFor()
  await room('Hall 1 arrival, 1 asset, 2 sub-locations').waitFor()
  await choice.getByText('Least 0, most 1.').waitFor()
  await expectAccessible(page)
  await choice.getByText('7 days').click()
  await page.waitForURL(/mode=movements&range=7d/)
  await page.reload()
  await room('Dock 1 1 arrival, 1 asset').waitFor()
  await choice.getByText('Dwell', { exact: true }).click()
  await room(/^Dock 1 [\d.,]+ h of dwell, 1 asset$/).waitFor()
  await expectAccessible(page)
})
