import { expect } from 'vitest'
import { unwrap } from '@whereabouts/client/client'
import { unzipped } from '@whereabouts/testing/unzipped'
import { buffer } from 'node:stream/consumers'
import { clientFromNewAddress, newAsset } from '../system/organization.ts'
import { expectAccessible } from './support/accessible.ts'
import { join } from './support/join.ts'
import { leave, newVisitor, signIn, STACK, test } from './support/visitor.fixture.ts'

test('D15.3 an administrator renames the organization and chooses its time zone', async ({
  member,
  organization: { id, admin },
}) => {
  const { page } = member
  await member.open('/settings')
  const name = page.getByLabel('Name of the organization')
  const save = page.getByRole('button', { name: 'Save' })
  await name.waitFor()
  expect(await save.isDisabled()).toBe(true)
  await expectAccessible(page)
  await name.fill('')
  await save.click()
  await page.getByText('Enter the name of your organization.').waitFor()
  await name.fill('Harbour Works')
  const zone = page
    .getByRole('textbox', { name: 'Time zone' })
    .or(page.getByRole('combobox', { name: 'Time zone' }))
  await zone.fill('mandu') // browsers differ in the spelling
  await page.getByRole('option', { name: /Kat(?:h)?mandu/ }).click()
  await save.click()
  await page.getByRole('button', { name: 'Harbour Works, Ada: menu' }).waitFor()
  const org = unwrap(await admin.GET('/api/v1/orgs/{org_id}', { params: { path: { org_id: id } } })).data
  expect(org).toMatchObject({ name: 'Harbour Works', timezone: expect.stringMatching(/Kat(?:h)?mandu/) })
  await page.reload()
  await name.waitFor()
  expect(await zone.inputValue()).toMatch(/Kat(?:h)?mandu/)
  expect(await save.isDisabled()).toBe(true)
})

test('D15.3 deleting asks for the name, signs everybody out, and the account cannot sign in any more', async ({
  member,
  organization,
  browser,
}) => {
  const { page } = member
  const grace = await newVisitor(browser)
  await signIn(grace, await join(organization, 'member'))
  await grace.open('/settings')
  await grace.page.getByText('Only administrators can change this.').waitFor()
  expect(await grace.page.getByRole('button', { name: 'Delete organization…' }).count()).toBe(0)

  await member.open('/settings')
  await page.getByRole('button', { name: 'Delete organization…' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name of the organization').fill('Harbour')
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Delete organization' }).click()
  await dialog.getByText('Type Harbour Tools to confirm.', { exact: true }).last().waitFor()
  await dialog.getByLabel('Name of the organization').fill('Harbour Tools')
  await dialog.getByRole('button', { name: 'Delete organization' }).click()
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()

  await grace.page.reload()
  await grace.page.getByRole('heading', { name: 'Sign in' }).waitFor()
  await leave(grace)
  const { response } = await clientFromNewAddress(STACK).POST('/api/v1/auth/login', {
    body: organization.login,
  })
  expect(response.status).toBe(401)
})

test('D15.3 an administrator exports everything, and a second export at once is explained', async ({
  member,
  organization,
}) => {
  const { page } = member
  for (const name of ['Pallet 1', 'Pallet 2', 'Pallet 3']) await newAsset(organization, name, [])
  await member.open('/settings')
  const button = page.getByRole('button', { name: 'Export everything' })
  await button.waitFor()
  await expectAccessible(page)
  for (const _time of [1, 2, 3]) {
    const downloading = page.waitForEvent('download')
    await button.click()
    const download = await downloading
    expect(download.suggestedFilename()).toMatch(/^Harbour-Tools-20\d\d-\d\d-\d\d\.zip$/)
    const files = await unzipped(await buffer(await download.createReadStream()))
    const assets = files.get('assets.ndjson')?.trimEnd().split('\n') ?? []
    const names = assets.map((line) => (JSON.parse(line) as { name: string }).name)
    expect(names.toSorted()).toEqual(['Pallet 1', 'Pallet 2', 'Pallet 3'])
    await expect.poll(() => button.isEnabled()).toBe(true)
  }
  const running = 'An export of this organization is running. Start another one when it has ended'
  const error = {
    type: 'rate_limited',
    title: 'Too many requests',
    status: 429,
    detail: running,
    request_id: 'x',
  }
  await page.route('**/export', (route) => route.fulfill({ status: 429, json: { error } }))
  await button.click()
  await page.getByRole('alert').getByText('An export of your organization is running').waitFor()
  await expectAccessible(page)
  await page.unroute('**/export')
  const again = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Try again' }).click()
  await again
  expect(await page.getByRole('alert').count()).toBe(0)
})

test('D15.3 an export is cancelled without a failure, and members see none', async ({
  member,
  organization,
  browser,
}) => {
  const { page } = member
  const held = Promise.withResolvers<void>()
  await page.route('**/export', async (route) => {
    await held.promise
    await route.continue()
  })
  await member.open('/settings')
  await page.getByRole('button', { name: 'Export everything' }).click()
  await page.getByRole('status').getByText('Exporting everything: 0 kB so far').waitFor()
  const aborted = page.waitForEvent('requestfailed', (request) => request.url().endsWith('/export'))
  await page.getByRole('button', { name: 'Cancel export' }).click()
  await aborted
  held.resolve()
  await page.getByRole('button', { name: 'Cancel export' }).waitFor({ state: 'detached' })
  expect(await page.getByRole('alert').count()).toBe(0)

  const grace = await newVisitor(browser)
  await signIn(grace, await join(organization, 'member'))
  await grace.open('/settings')
  await grace.page.getByText('Only administrators can change this.').waitFor()
  expect(await grace.page.getByRole('button', { name: 'Export everything' }).count()).toBe(0)
  await leave(grace)
})
