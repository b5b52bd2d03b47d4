import { unwrap } from '@whereabouts/client/client'
import { text as textOf } from 'node:stream/consumers'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { newAsset } from '../system/organization.ts'
import { expectAccessible } from './support/accessible.ts'
import { test } from './support/visitor.fixture.ts'

/** Chooses a file as in the browser's dialog. */
async function choose(page: Page, text: string, name = 'assets.csv'): Promise<void> {
  const file = { name, mimeType: 'text/csv', buffer: Buffer.from(text) }
  await page.locator('input[type=file]').setInputFiles(file)
}

const MIXED = [
  'external_key,name,type,rfid',
  'ASSET-0001,Forklift 8,asset,E2801',
  'PALLET-1,Pallet 1,inventory,E2802',
  'PALLET-2,Pallet 2,crate,E2803',
  'no key,Pallet 3,inventory,E2801',
].join('\n')

const row = (page: Page, line: number) => page.getByRole('row', { name: new RegExp(`^${line} `) })

test('a file is checked, previewed and applied', async ({ member, organization }) => {
  await newAsset(organization, 'Forklift 7', [{ tag_type: 'rfid', value: 'E2801' }])
  const { page, context } = member
  await member.open('/imports')
  await page.getByText('No imports yet').waitFor()
  await choose(page, MIXED)
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Check file' }).click()
  await page.getByRole('heading', { name: 'File check: assets', level: 1 }).waitFor()
  await page.getByText('Checked 4 of 4 rows').waitFor()

  // Failed rows come first, with their columns.
  await row(page, 4)
    .getByText(/^type must be one of/)
    .waitFor()
  await row(page, 5)
    .getByText(/^external_key:? \S/)
    .waitFor()
  expect(await row(page, 2).count()).toBe(0)
  await expectAccessible(page)
  const downloading = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Download failed rows' }).click()
  const download = await downloading
  expect(download.suggestedFilename()).toBe('assets-failed-rows.csv')
  const failed = await textOf(await download.createReadStream())
  expect(failed.split('\r\n').slice(0, 2)).toEqual([
    'external_key,name,type,rfid,import_line,import_error',
    'PALLET-2,Pallet 2,crate,E2803,4,"type: type must be one of: asset, person, inventory"',
  ])
  await page.getByText('Updated (1)').click()
  await row(page, 2).getByText('Changes name').waitFor()
  expect(unwrap(await organization.integrator.GET('/api/v1/assets')).data).toMatchObject([
    { name: 'Forklift 7' },
  ])

  await page.getByRole('button', { name: 'Apply' }).click()
  await page.getByRole('heading', { name: 'Import: assets', level: 1 }).waitFor()
  await page.getByText('Done: 4 of 4 rows').waitFor()
  await page.getByText('All (4)').click()
  await row(page, 3).getByRole('link', { name: 'PALLET-1' }).click()
  await page.getByRole('heading', { name: 'Pallet 1', level: 1 }).waitFor()

  await member.open('/imports')
  await page.getByText('1–2 of 2 imports').waitFor()
  await context.setOffline(true)
  await page.getByText('You are offline').waitFor()
  await page.getByRole('link', { name: 'Import: assets' }).waitFor()
  await context.setOffline(false)
  await page.getByRole('link', { name: 'Import: assets' }).click()
  await page.getByRole('button', { name: 'Remove' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
  await page.getByText('1 import', { exact: true }).waitFor()
})

test('an export and corrected failed rows can be imported; their added columns are named', async ({
  member,
}) => {
  const { page } = member
  await member.open('/imports')
  await choose(page, 'name,location_name,asset_last_seen,import_error\nPallet 4,Dock,2026-01-01,old\n')
  await page.getByRole('button', { name: 'Check file' }).click()
  await page.getByText('Checked 1 of 1 rows').waitFor()
  await page.getByText('Ignored: location_name, asset_last_seen, import_error.').waitFor()
  await page.getByText('Created (1)').waitFor()
})

test('a file with a wrong header is refused with the request ID; an empty one before upload', async ({
  member,
}) => {
  const { page } = member
  await member.open('/imports')
  await choose(page, '')
  await page.getByText('The file is empty').waitFor()
  await expect.poll(() => page.getByRole('button', { name: 'Check file' }).isDisabled()).toBe(true)
  await choose(page, 'external_key,name,colour,weight\nA-1,A,red,3\n')
  await page.getByRole('button', { name: 'Check file' }).click()
  const alert = page.getByRole('alert')
  await alert.getByText('Unknown column "weight"').waitFor()
  await alert.getByText(/Request/).waitFor()
})

test('D19.5 a file of a spreadsheet: its columns are assigned, and what is doubtful is shown before it is applied', async ({
  member,
  organization,
}) => {
  await newAsset(organization, 'Forklift 7', [{ tag_type: 'rfid', value: 'E2801160' }])
  const { page } = member
  await member.open('/imports')
  const csv = 'External Key;Bezeichnung;Notiz;RFID\r\nASSET-0001;Kühlgerät;x;\r\nA-2;Box;y;3.0395E+23\r\n'
  const file = { name: 'excel.csv', mimeType: 'text/csv', buffer: Buffer.from(csv, 'latin1') }
  await page.locator('input[type=file]').setInputFiles(file)
  const check = page.getByRole('button', { name: 'Check file' })
  await check.click()
  await page.getByRole('combobox', { name: 'Column “Bezeichnung”' }).click()
  await page.getByRole('option', { name: 'name', exact: true }).click()
  await page.getByRole('combobox', { name: 'Column “Notiz”' }).click()
  await page.getByRole('option', { name: 'Ignore this column' }).click()
  await expectAccessible(page)
  await check.click()
  await page.getByText('Checked 2 of 2 rows').waitFor()
  await page.getByText(/read as Windows-1252.*“Kühlgerät”/).waitFor()
  await page.getByText(/Tags that would be removed: 1/).waitFor()
  await page.getByText('Ignored: Notiz.').waitFor()
  await page.getByText('Doubtful (1)').click()
  await row(page, 3)
    .getByText(/"3.0395E\+23" was rewritten by a spreadsheet/)
    .waitFor()
  await row(page, 2).waitFor({ state: 'detached' }) // the rows before are shown until these have come
  await expectAccessible(page)

  await member.open('/imports')
  await page.locator('input[type=file]').setInputFiles(file)
  await page.getByText('Leaves alone').click()
  await choose(page, 'external_key,rfid\nASSET-0001,\n')
  await check.click()
  await page.getByText('Unchanged (1)').waitFor()
})

test('D19.5 a file that cannot be read says why and what to do', async ({ member }) => {
  const { page } = member
  await member.open('/imports')
  for (const [text, reason] of [
    ['name\na\n"b\n', /^Line 3: a quoted cell has no end\..*CSV UTF-8/],
    ['PK\u0003\u0004', /^Line 1: there is a control character.*not text.*CSV UTF-8/],
  ] as const) {
    await choose(page, text)
    await page.getByRole('button', { name: 'Check file' }).click()
    const alert = page.getByRole('alert')
    await alert.getByText('This file cannot be read').waitFor()
    await alert.getByText(reason).waitFor()
    expect(await page.getByText('The server has a problem').count()).toBe(0)
  }
})

test('the example of each resource can be imported', async ({ member }) => {
  const { page } = member
  for (const resource of ['assets', 'locations']) {
    await member.open('/imports')
    await page.getByRole('button', { name: 'Check file' }).waitFor() // the menu has these names too
    await page
      .getByText(resource === 'assets' ? 'Assets' : 'Locations', { exact: true })
      .last()
      .click()
    const downloading = page.waitForEvent('download')
    await page.getByRole('link', { name: `Download an example for ${resource}` }).click()
    const download = await downloading
    expect(download.suggestedFilename()).toBe(`example-${resource}.csv`)
    await choose(page, await textOf(await download.createReadStream()))
    await page.getByRole('button', { name: 'Check file' }).click()
    await page.getByRole('heading', { name: `File check: ${resource}` }).waitFor()
    await page.getByText('Checked 2 of 2 rows').waitFor()
    await page.getByText('Created (2)').waitFor()
  }
})

/** A dragged file. Only the page itself can create a DataTransfer. */
const BOXES = `(() => {
  const lines = Array.from({ length: 60000 }, (_, i) => 'BOX-' + i + ',Box ' + i)
  const transfer = new DataTransfer()
  transfer.items.add(new File([['external_key,name', ...lines].join('\\n')], 'boxes.csv', { type: 'text/csv' }))
  return transfer
})()`

test('a dropped file is uploaded, a refused token replaced, and a long import cancelled', async ({
  member,
  organization,
}) => {
  const { page } = member
  await member.open('/imports')
  const dropped = await page.evaluateHandle(BOXES)
  await page.getByText('The file contains').dispatchEvent('drop', { dataTransfer: dropped })
  await page.getByText('boxes.csv').waitFor()
  let refused = 0
  await page.route('**/api/v1/imports?*', async (route) => {
    if (refused > 0 || route.request().method() !== 'POST') return route.continue()
    refused += 1
    return route.fulfill({ status: 401, json: {} })
  })
  await page.getByRole('button', { name: 'Check file' }).click()
  await page.getByRole('heading', { name: 'File check: assets', level: 1 }).waitFor()
  expect(refused).toBe(1)
  await page.getByRole('button', { name: 'Cancel import' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel import' }).click()
  await page.getByText(/^Cancelled: [\d,]+ of 60,000 rows/).waitFor()
  const { data } = unwrap(await organization.admin.GET('/api/v1/imports'))
  expect(data).toMatchObject([{ state: 'cancelled', rows_total: 60_000 }])
})
