import { unwrap } from '@whereabouts/client/client'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import type { Organization } from '../system/organization.ts'
import { expectAccessible } from './support/accessible.ts'
import { join } from './support/join.ts'
import { envelope } from './support/refused.ts'
import { leave, newVisitor, signIn, test } from './support/visitor.fixture.ts'

const card = (page: Page) => page.getByRole('region', { name: 'How long history is kept' })
const saved = (page: Page) => page.getByText('Saved how long history is kept.')

const params = ({ id }: Organization) => ({ path: { org_id: id } })

/** As the API has it. */
const stored = async (org: Organization) =>
  unwrap(await org.admin.GET('/api/v1/orgs/{org_id}', { params: params(org) })).data.retention_days

const keep = async (org: Organization, days: Partial<Awaited<ReturnType<typeof stored>>>) => {
  const body = { retention_days: days }
  unwrap(await org.admin.PATCH('/api/v1/orgs/{org_id}', { params: params(org), body }))
}

/** The days for which the installation keeps history. */
async function installed(org: Organization): Promise<number> {
  const { data } = unwrap(await org.admin.GET('/api/v1/limits'))
  return data.find(({ name }) => name === 'history_days')?.limit ?? 0
}

test('D22.2 each type gets days of its own, after a warning that names what is deleted', async ({
  member,
  organization,
}) => {
  const { page } = member
  const most = await installed(organization)
  await member.open('/limits')
  const dialog = page.getByRole('dialog', { name: 'Delete older history?' })
  const saveButton = card(page).getByRole('button', { name: 'Save' })
  const days = (what: string) => card(page).getByLabel(`History of ${what}, in days`)
  await card(page).getByText(`Empty: as long as the installation (${most} days).`).first().waitFor()
  expect(await saveButton.isDisabled()).toBe(true)
  await expectAccessible(page)

  for (const wrong of ['6', '0', String(most + 1)]) {
    await days('people').fill(wrong)
    await saveButton.click()
    await card(page).getByText(`Enter a whole number from 7 to ${most}.`).waitFor()
    await card(page).locator('input:focus').and(days('people')).waitFor()
  }
  await days('people').fill('')
  const expected = await stored(organization)
  for (const [type, what] of [
    ['asset', 'things'],
    ['person', 'people'],
    ['inventory', 'inventory'],
  ] as const) {
    expect(await days(what).inputValue()).toBe('')
    await days(what).fill('30')
    await saveButton.click()
    await dialog.getByText(`History of ${what} older than 30 days is deleted within an hour.`).waitFor()
    await dialog.getByText('This cannot be undone.').waitFor()
    expect(await dialog.getByText('is deleted').count()).toBe(1)
    await expectAccessible(page)
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await dialog.waitFor({ state: 'detached' })
    expect(await stored(organization)).toEqual(expected)
    await saveButton.click()
    await dialog.getByRole('button', { name: 'Save and delete' }).click()
    await dialog.waitFor({ state: 'detached' })
    expected[type] = 30
    expect(await stored(organization)).toEqual(expected)
  }
  await saved(page).first().waitFor()
})

test('a longer time is saved without a warning, and what others saved meanwhile stays', async ({
  member,
  organization,
}) => {
  const { page } = member
  await keep(organization, { asset: 30, person: 30 })
  await member.open('/limits')
  const saveButton = card(page).getByRole('button', { name: 'Save' })
  const days = (what: string) => card(page).getByLabel(`History of ${what}, in days`)
  await expect.poll(() => days('people').inputValue()).toBe('30')
  await keep(organization, { inventory: 60 })
  for (const [typed, person] of [
    ['31', 31],
    ['90', 90],
    ['', null],
  ] as const) {
    await days('people').fill(typed)
    await saveButton.click()
    await expect.poll(() => stored(organization)).toEqual({ asset: 30, person, inventory: 60 })
    await expect.poll(() => saveButton.isDisabled()).toBe(true)
  }
  await expect.poll(() => days('inventory').inputValue()).toBe('60')
  expect(await days('people').inputValue()).toBe('')
})

test('what the server refuses is said at the field, or above the button, and nothing is saved', async ({
  member,
  organization,
}) => {
  const { page } = member
  const most = await installed(organization)
  const before = await stored(organization)
  // The installation kept more when the page was opened.
  await page.route('**/api/v1/limits', async (route) => {
    const response = await route.fetch()
    const { data } = (await response.json()) as { data: { name: string; limit: number }[] }
    const changed = data.map((one) =>
      one.name === 'history_days' ? Object.assign(one, { limit: most + 200 }) : one,
    )
    await route.fulfill({ response, json: { data: changed } })
  })
  await member.open('/limits')
  const people = card(page).getByLabel('History of people, in days')
  const dialog = page.getByRole('dialog')
  const save = async (typed: number) => {
    await people.fill(String(typed))
    await card(page).getByRole('button', { name: 'Save' }).click()
    await dialog.getByText(`older than ${typed} days`).waitFor()
    await dialog.getByRole('button', { name: 'Save and delete' }).click()
    await dialog.waitFor({ state: 'detached' })
  }
  const refusal = `Must be ${most} or less, the days for which this installation keeps history.`
  for (const more of [1, 2, 3]) {
    await save(most + more)
    await card(page).getByText(refusal).waitFor()
    expect(await people.getAttribute('aria-invalid')).toBe('true')
  }
  await expectAccessible(page)
  await page.route('**/api/v1/orgs/*', (route) =>
    route.request().method() === 'PATCH'
      ? route.fulfill(envelope('service_unavailable', 'Tracking does not answer', 503))
      : route.fallback(),
  )
  await save(30)
  await card(page).getByRole('alert').getByText('This does not work right now').waitFor()
  expect(await stored(organization)).toEqual(before)
  await page.unroute('**/api/v1/orgs/*')
  await save(30)
  await saved(page).waitFor()
  expect(await stored(organization)).toEqual({ ...before, person: 30 })
})

test('members see how long history is kept, and cannot change it', async ({ browser, organization }) => {
  await keep(organization, { person: 30 })
  const most = await installed(organization)
  const visitor = await newVisitor(browser)
  const { email, password } = await join(organization, 'member')
  await signIn(visitor, { email, password })
  const { page } = visitor
  await visitor.open('/limits')
  await card(page).getByText('Only administrators can change this.').waitFor()
  expect(await card(page).getByRole('listitem').allTextContents()).toEqual([
    `History of things: as long as the installation (${most} days)`,
    'History of people: 30 days',
    `History of inventory: as long as the installation (${most} days)`,
  ])
  expect(await card(page).locator('input, button').count()).toBe(0)
  await expectAccessible(page)
  await leave(visitor)
})
