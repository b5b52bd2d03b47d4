import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { newAsset } from '../system/organization.ts'
import { expectAccessible } from './support/accessible.ts'
import { join } from './support/join.ts'
import { envelope } from './support/refused.ts'
import { newVisitor, signIn, test } from './support/visitor.fixture.ts'

type Limit = { name: string; used: number; limit: number }

/** The limits that the server answers, with others in place of some. */
const replaceLimits = (page: Page, others: readonly Limit[]) =>
  page.route('**/api/v1/limits', async (route) => {
    const response = await route.fetch()
    const { data } = (await response.json()) as { data: Limit[] }
    const changed = data.map((one) => others.find(({ name }) => name === one.name) ?? one)
    await route.fulfill({ response, json: { data: changed } })
  })

test('limits show what is stored; one that is almost reached says what to do, here and on Overview', async ({
  member,
  organization,
}) => {
  const { page } = member
  await newAsset(organization, 'Pump', [])
  await member.open('/')
  await page.getByRole('navigation', { name: 'Main menu' }).getByRole('link', { name: 'Limits' }).click()
  const row = (name: string) => page.getByRole('row', { name })
  await row('Assets').getByText('1,000,000').waitFor()
  await row('Assets').getByRole('cell', { name: '1', exact: true }).waitFor()
  await row('Images of floor plans').getByText('100 MiB').waitFor()
  expect(await page.getByText(/full\./i).count()).toBe(0)
  expect(await page.getByRole('row').count()).toBe(13)

  await replaceLimits(page, [
    { name: 'readers', used: 900, limit: 1_000 },
    { name: 'image_bytes', used: 100 * 2 ** 20, limit: 100 * 2 ** 20 },
    { name: 'history_days', used: 400, limit: 400 },
  ])
  await member.open('/')
  const attention = page.getByRole('region', { name: 'Needs attention' })
  await attention
    .getByText(
      'Readers: Almost full. Delete readers that you no longer use, or ask your operator to raise the limit.',
    )
    .waitFor()
  await attention.getByRole('link', { name: '2 limits almost reached' }).click()
  await page.waitForURL('**/limits')
  await row('Readers').getByText('90 %. Almost full.').waitFor()
  await row('Images of floor plans').getByText('100 %. Full. Remove images').waitFor()
  await row('Days of history').getByText('100 %', { exact: true }).waitFor()
  await expectAccessible(page)
})

test('the licenses of third parties are served', async ({ member }) => {
  const { page } = member
  await member.open('/')
  await page.getByRole('button', { name: /: menu$/ }).click()
  const link = page.getByRole('menuitem', { name: 'Third-party licenses' })
  const response = await member.context.request.get((await link.getAttribute('href')) ?? '')
  expect([response.status(), response.headers()['content-type']]).toEqual([200, 'text/plain; charset=utf-8'])
  expect(await response.text()).toMatch(/^@fontsource-variable\/inter \S+ \(OFL-1\.1\)$/m)
})

test('members see the limits too', async ({ browser, organization }) => {
  const guest = await newVisitor(browser)
  const { email, password } = await join(organization, 'member')
  await signIn(guest, { email, password })
  await guest.open('/limits')
  await guest.page.getByRole('row', { name: 'API keys' }).getByText('200').waitFor()
  await guest.context.close()
})

const FULL =
  'The organization stores 1000 of 1000. Delete some, or ask the operator of the server for a higher limit.'

test.for([
  { path: '/assets', open: 'New asset', fill: { Name: 'Pump' }, create: 'Create asset' },
  { path: '/locations', open: 'New location', fill: { Name: 'Hall' }, create: 'Create location' },
  {
    path: '/readers',
    open: 'Add reader',
    fill: { 'Reader key': 'gate-1', Name: 'Gate' },
    create: 'Add reader',
  },
])('a limit that refuses "$open" says so in the words of the server', async (form, { member }) => {
  const { page } = member
  await member.open(form.path)
  await page.getByRole('button', { name: form.open }).first().click()
  const dialog = page.getByRole('dialog')
  for (const [label, value] of Object.entries(form.fill))
    await dialog.getByRole('textbox', { name: label, exact: true }).fill(value)
  await page.route(`**/api/v1${form.path}`, (route) => route.fulfill(envelope('conflict', FULL, 409)))
  await dialog.getByRole('button', { name: form.create }).click()
  await dialog.getByRole('alert').getByText(FULL.replace(/\.$/, '')).waitFor()
})
