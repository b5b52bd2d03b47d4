import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { unwrap } from '@whereabouts/client/client'
import { newAsset } from '../system/organization.ts'
import { expectAccessible } from './support/accessible.ts'
import { join } from './support/join.ts'
import { leave, newVisitor, signIn, test } from './support/visitor.fixture.ts'

/** Rows of a table, without its heading. */
const rowsOf = (page: Page, name: string) =>
  page
    .getByRole('region', { name, exact: true })
    .getByRole('row')
    .filter({ has: page.getByRole('cell') })

test('D15.4 an administrator sees who changed an asset, from what to what, there and in the audit', async ({
  member,
  organization: { admin, integrator },
  organization,
}) => {
  const { page } = member
  const asset = await newAsset(organization, 'Pump', [{ tag_type: 'rfid', value: 'E28011' }])
  const other = await newAsset(organization, 'Drill', [])
  const path = { params: { path: { asset_id: asset.id } } }
  for (const name of ['Pump 2', 'Pump 3', 'Pump 4'])
    unwrap(await admin.PATCH('/api/v1/assets/{asset_id}', { ...path, body: { name } }))
  unwrap(await integrator.PATCH('/api/v1/assets/{asset_id}', { ...path, body: { description: 'Yard' } }))

  await member.open(`/assets/${asset.id}`)
  await page.getByRole('button', { name: 'Show changes' }).click()
  const own = rowsOf(page, 'Changes of this asset')
  await own.filter({ hasText: 'Pump 3 → Pump 4' }).waitFor()
  expect(await own.count()).toBe(5)
  await expectAccessible(page)
  await own.filter({ hasText: 'Yard' }).getByText('API key integrator').waitFor()
  await page.getByRole('link', { name: 'Show them in the audit' }).click()

  const all = rowsOf(page, 'Audit')
  await all.filter({ hasText: 'Pump 3 → Pump 4' }).waitFor()
  expect(await all.count()).toBe(5)
  await expectAccessible(page)
  await page.getByRole('button', { name: 'show all again' }).click()
  await all.filter({ hasText: 'Drill' }).waitFor()
  await page
    .getByRole('textbox', { name: 'Who' })
    .or(page.getByRole('combobox', { name: 'Who' }))
    .click()
  await page.getByRole('option', { name: 'integrator' }).click()
  await all.filter({ hasText: 'Pump 3' }).first().waitFor({ state: 'detached' })
  await all.filter({ hasText: 'Yard' }).getByRole('button').click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('asset.update', { exact: true }).waitFor()
  await dialog.getByText('API key integrator').waitFor()
  await expectAccessible(page)
  await page.keyboard.press('Escape')

  await member.open(`/audit?type=asset`)
  await all.filter({ hasText: 'Drill' }).getByRole('link').click()
  await page.getByRole('heading', { name: 'Drill', level: 1 }).waitFor()
  expect(new URL(page.url()).pathname).toBe(`/assets/${other.id}`)
})

test('D15.4 the file has all rows of the filter, over several pages of the API', async ({
  member,
  organization: { id, admin },
}) => {
  const { page } = member
  for (let batch = 0; batch < 2; batch += 1) {
    const items = Array.from({ length: 250 }, (_, i) => ({
      external_key: `PALLET-${batch}-${i}`,
      name: `Pallet ${batch} ${i}`,
      type: 'asset' as const,
    }))
    unwrap(await admin.POST('/api/v1/assets/batch', { body: { items } }))
  }
  const query = { action: 'asset.create', limit: 1 }
  await expect
    .poll(
      async () =>
        unwrap(await admin.GET('/api/v1/orgs/{org_id}/audit', { params: { path: { org_id: id }, query } }))
          .total_count,
      { timeout: 10_000 },
    )
    .toBe(500)
  await member.open('/audit?action=asset.create')
  const downloading = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Download CSV' }).click()
  const lines = (await readFile(await (await downloading).path(), 'utf8')).trim().split('\n')
  expect(lines[0]).toMatch(/^\W*id,at,actor\.type/)
  expect(lines).toHaveLength(501)
  expect(new Set(lines).size).toBe(501)
})

test('D15.4 a failed sign-in is shown, and members read that they may not see the audit', async ({
  member,
  organization,
  browser,
}) => {
  const { page } = member
  const { email, password } = await join(organization, 'member')
  const headers = { 'sec-fetch-site': 'same-origin' }
  await member.context.request.post('/session/sign-in', {
    data: { email, password: 'not the password' },
    headers,
  })
  await member.open('/audit')
  await page.getByRole('button', { name: 'Failed sign-ins' }).click()
  await rowsOf(page, 'Audit').filter({ hasText: 'Sign-in failed' }).waitFor()
  expect(await rowsOf(page, 'Audit').count()).toBe(1)

  const visitor = await newVisitor(browser)
  await signIn(visitor, { email, password })
  await visitor.open('/audit')
  await visitor.page.getByText('Only administrators can read the audit').waitFor()
  expect(await visitor.page.getByRole('button', { name: 'Download CSV' }).count()).toBe(0)
  await leave(visitor)
})
