import { unwrap } from '@whereabouts/client/client'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { newAsset, newLocation, newReader, type Organization, type Tag } from '../system/organization.ts'
import { connectReader } from '../system/readers.ts'
import { expectAccessible } from './support/accessible.ts'
import { STACK, test } from './support/visitor.fixture.ts'

const section = (page: Page, name: string) => page.getByRole('region', { name, exact: true })

type Read = { tag: { type: string; value: string }; antenna: number; read_at: string }

/** Publishes reads of the past as a reader. */
async function publish(
  org: Organization,
  readerKey: string,
  tag: Tag,
  reads: readonly { antenna: number; minutesAgo: number }[],
): Promise<void> {
  const reader = await connectReader(STACK, org.readerKey, 'nats')
  const message: { reads: Read[] } = {
    reads: reads.map(({ antenna, minutesAgo }) => ({
      tag: { type: tag.tag_type, value: tag.value },
      antenna,
      read_at: new Date(Date.now() - minutesAgo * 60_000).toISOString(),
    })),
  }
  await reader.publish(org.id, readerKey, 'canonical', Buffer.from(JSON.stringify(message)))
  await reader.close()
}

async function save(org: Organization, location: string, asset: string): Promise<void> {
  const body = { location_identifier: location, asset_identifiers: [asset] }
  unwrap(await org.integrator.POST('/api/v1/inventory/save', { body }))
}

/** An asset that a reader saw twice at a dock. */
async function seenAtTheDock(org: Organization) {
  const dock = await newLocation(org, 'Receiving dock', 'DOCK-1')
  await newLocation(org, 'Shelf', 'SHELF-1')
  await newReader(org, { key: 'gate-1', format: 'canonical', locationId: dock, antennas: 2 })
  const tag: Tag = { tag_type: 'rfid', value: 'E28011606000020A1B2C3D4E' }
  const asset = await newAsset(org, 'Forklift 7', [tag])
  await publish(org, 'gate-1', tag, [
    { antenna: 1, minutesAgo: 75 },
    { antenna: 2, minutesAgo: 20 },
  ])
  const path = { asset_id: asset.id }
  await expect
    .poll(
      async () =>
        unwrap(await org.integrator.GET('/api/v1/assets/{asset_id}/history', { params: { path } }))
          .total_count,
      { timeout: 15_000 },
    )
    .toBe(2)
  return { asset, tag }
}

test('three actions lead to the location of an asset and the reason', async ({ member, organization }) => {
  await seenAtTheDock(organization)
  const { page } = member
  await member.open('/')
  await page.getByRole('link', { name: 'Assets', exact: true }).click()
  await page.getByLabel('Search').fill('3d4e')
  await page.getByRole('link', { name: 'Forklift 7' }).click()
  const where = section(page, 'Current location')
  await where.getByRole('link', { name: 'Receiving dock' }).waitFor()
  await where.getByText('20 minutes ago').first().waitFor()
  const why = section(page, 'Why it is here')
  await why.getByText('Read by gate-1, antenna 2 (antenna 2), 20 minutes ago').waitFor()
  await why.getByText('First seen here 1 hour ago: Read by gate-1, antenna 1').waitFor()
})

test('dwell times and history follow the asset as it moves', async ({ member, organization }) => {
  const { asset } = await seenAtTheDock(organization)
  const { page, context } = member
  await member.open(`/assets/${asset.id}`)
  await section(page, 'Dwell times').getByRole('link', { name: 'Receiving dock' }).waitFor()
  await section(page, 'Dwell times').getByText('55 min').waitFor()
  await page.getByText('Live', { exact: true }).first().waitFor()
  await save(organization, 'SHELF-1', asset.external_key)
  await section(page, 'Current location').getByRole('link', { name: 'Shelf' }).waitFor()
  await section(page, 'Why it is here').getByText('Saved by an operator').waitFor()
  expect(await section(page, 'Dwell times').getByRole('link').allTextContents()).toEqual([
    'Shelf',
    'Receiving dock',
    'gate-1',
  ])
  const history = page.getByRole('table').filter({ hasText: 'Seen' })
  await history.getByText('SHELF-1').waitFor()
  expect(await history.getByRole('row').count()).toBe(4)
  await expectAccessible(page)
  await member.picture('asset')
  await page.setViewportSize({ width: 390, height: 844 })
  await member.picture('asset-phone')

  const hourAgo = new Date(Date.now() - 40 * 60_000 + 60 * 60_000) // the viewer is in Berlin, in winter
  await page.getByLabel('To', { exact: true }).fill(hourAgo.toISOString().slice(0, 16))
  await page.getByText('1–1 of 1 rows').waitFor()
  await page.getByRole('button', { name: 'Show all' }).click()
  await page.getByText('1–3 of 3 rows').waitFor()
  await context.setOffline(true)
  await page.getByText('You are offline').waitFor()
  await section(page, 'Current location').getByRole('link', { name: 'Shelf' }).waitFor()
  await context.setOffline(false)
})

test('data is changed and cleared, the key is renamed; a taken key is refused', async ({
  member,
  organization,
}) => {
  const asset = await newAsset(organization, 'Forklift 7', [])
  await newAsset(organization, 'Another', [])
  const { page } = member
  await member.open(`/assets/${asset.id}`)
  await section(page, 'Current location').getByText('Never scanned').waitFor()
  await page.getByRole('button', { name: 'Edit' }).click()
  const form = page.getByRole('dialog')
  await form.getByLabel('Name').fill('Forklift 8')
  await form.getByLabel('Description').fill('Reach truck')
  await form.getByLabel('Valid to').fill('2020-01-01T10:00')
  await form.getByRole('button', { name: 'Save' }).click()
  await form.getByText('Must be later than “Valid from”.').waitFor()
  await form.locator('input:focus').and(form.getByLabel('Valid to')).waitFor()
  await form.getByLabel('Valid to').fill('')
  // A concurrent change stays, because only changed fields are sent.
  const path = { asset_id: asset.id }
  unwrap(
    await organization.integrator.PATCH('/api/v1/assets/{asset_id}', {
      params: { path },
      body: { type: 'inventory' },
    }),
  )
  await form.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('heading', { name: 'Forklift 8', level: 1 }).waitFor()
  await section(page, 'Data').getByText('Reach truck').waitFor()
  await section(page, 'Data').getByText('Inventory').waitFor()

  await page.getByRole('button', { name: 'Edit' }).click()
  await form.getByLabel('Description').fill('')
  await form.getByRole('button', { name: 'Save' }).click()
  await section(page, 'Data').getByText('Reach truck').waitFor({ state: 'detached' })

  await page.getByRole('button', { name: 'Rename key' }).click()
  await form.getByLabel('External key').fill('ASSET-0002')
  await form.getByRole('button', { name: 'Rename' }).click()
  await form.getByRole('alert').getByText('Asset ASSET-0002 already exists').waitFor()
  await form.getByLabel('External key').fill('FORKLIFT-8')
  await form.getByRole('button', { name: 'Rename' }).click()
  await section(page, 'Data').getByText('FORKLIFT-8').waitFor()
})

test('tags are attached and detached, and the asset is deleted', async ({ member, organization }) => {
  const asset = await newAsset(organization, 'Forklift 7', [])
  await newAsset(organization, 'Another', [{ tag_type: 'rfid', value: 'E2801' }])
  const { page } = member
  await member.open(`/assets/${asset.id}`)
  const tags = section(page, 'Tags')
  await tags.getByText('No tags yet').waitFor()
  await tags.getByRole('button', { name: 'Attach tag' }).click()
  const form = page.getByRole('dialog')
  await form.getByRole('textbox', { name: 'Value' }).fill('E2801')
  await form.getByRole('button', { name: 'Attach' }).click()
  await form.getByRole('alert').getByText('Tag rfid:E2801 already exists').waitFor()
  await form.getByRole('textbox', { name: 'Value' }).fill('E2802')
  await form.getByRole('button', { name: 'Attach' }).click()
  await tags.getByRole('button', { name: 'Detach E2802' }).click()
  await form.getByRole('button', { name: 'Detach' }).click()
  await tags.getByText('No tags yet').waitFor()

  await page.getByRole('button', { name: 'Delete' }).click()
  await form.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('heading', { name: 'Assets', level: 1 }).waitFor()
  await page.getByRole('link', { name: 'Another' }).waitFor()
  expect(await page.getByRole('link', { name: 'Forklift 7' }).count()).toBe(0)
  await member.open(`/assets/${asset.id}`)
  await page.getByRole('alert').getByText('Asset not found').waitFor()
})
