import { readFile } from 'node:fs/promises'
import { gunzipSync } from 'node:zlib'
import { unwrap, type components } from '@whereabouts/client/client'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import type { Organization } from '../system/organization.ts'
import { expectAccessible } from './support/accessible.ts'
import { join } from './support/join.ts'
import { saved } from './support/moves.ts'
import { envelope } from './support/refused.ts'
import { leave, newVisitor, signIn, test } from './support/visitor.fixture.ts'

type Export = components['schemas']['ExportDetail']

async function begun(organization: Organization): Promise<Export> {
  const body = {
    dataset: 'history',
    format: 'csv',
    from: new Date(Date.now() - 86_400_000).toISOString(),
  } as const
  const { id } = unwrap(await organization.admin.POST('/api/v1/exports', { body })).data
  const path = { export_id: id }
  return unwrap(await organization.admin.GET('/api/v1/exports/{export_id}', { params: { path } })).data
}

/** Answers reads of an export with what `next` says, or with 503. Returns how often it was asked. */
async function answer(page: Page, { id }: Export, next: (asked: number) => Export | undefined) {
  let asked = 0
  await page.route(`**/api/v1/exports/${id}`, (route) => {
    asked += 1
    const data = next(asked)
    return route.fulfill(data ? { json: { data } } : envelope('service_unavailable', 'Not for now', 503))
  })
  return () => asked
}

test('D22.3 a member exports history, downloads a file and deletes the export', async ({
  browser,
  organization,
}) => {
  await saved(organization, 'Crane')
  const guest = await newVisitor(browser)
  const { email, password } = await join(organization, 'member')
  await signIn(guest, { email, password })
  const { page } = guest
  await guest.open('/')
  await page.getByRole('navigation', { name: 'Main menu' }).getByRole('link', { name: 'Exports' }).click()
  await page.getByText('No exports', { exact: true }).waitFor()
  await expectAccessible(page)
  await page.getByLabel('Time', { exact: true }).selectOption('From, to')
  const begin = page.getByRole('button', { name: 'Begin export' })
  await begin.click()
  expect(await page.getByText('Enter a day and a time.').count()).toBe(2)
  await expectAccessible(page)
  await page.getByLabel('Time', { exact: true }).selectOption('Last 30 days')
  await begin.click()
  await page.getByRole('heading', { name: 'History as CSV', level: 1 }).waitFor()
  await page.getByText(/^Done: 1 row, /).waitFor()
  const link = page.getByRole('row').getByRole('link', { name: /^history-.*\.csv\.gz$/ })
  await expectAccessible(page)
  const downloading = page.waitForEvent('download')
  await link.click()
  const file = await downloading
  expect(file.suggestedFilename()).toMatch(/^history-\d{4}-\d\d-\d\d\.csv\.gz$/)
  expect(gunzipSync(await readFile(await file.path())).toString()).toMatch(
    /asset_external_key.*\r?\n.*DOCK-/s,
  )

  await page.getByRole('link', { name: 'All exports' }).click()
  await page
    .getByRole('row', { name: /History as CSV/ })
    .getByText('Done')
    .waitFor()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Delete History as CSV' }).click()
  await page.getByRole('dialog').getByText('Links to them end at once.').waitFor()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await page.getByText('No exports', { exact: true }).waitFor()
  await leave(guest)
})

test('progress moves without a reload and after a failure, pauses in a hidden tab, and ends with the export', async ({
  member,
  organization,
}) => {
  const { page } = member
  await page.clock.install()
  const one = await begun(organization)
  const shares = [0.1, 0.3, 0.5, 0.7]
  let isFailing = false
  let isDone = false
  const asked = await answer(page, one, (n) => {
    if (isFailing) return undefined
    const progress = shares[n - 1] ?? 0.7
    return isDone
      ? { ...one, status: 'done', progress: 1, finished_at: one.created_at, expires_at: one.created_at }
      : { ...one, status: 'running', progress, finished_at: null, expires_at: null }
  })
  await member.open(`/exports/${one.id}`)
  for (const share of shares) {
    await page.getByText(`Running ${Math.round(share * 100)} %`).waitFor()
    await page.clock.runFor(2_000)
  }
  isFailing = true
  await expect
    .poll(async () => {
      await page.clock.runFor(1_000)
      return page.getByRole('alert').count()
    })
    .toBe(1)
  isFailing = false
  await expect
    .poll(async () => {
      await page.clock.runFor(1_000)
      return page.getByRole('alert').count()
    })
    .toBe(0)

  const show = (state: 'hidden' | 'visible') =>
    page.evaluate(`Object.defineProperty(document, 'visibilityState', { value: '${state}', configurable: true })
      window.dispatchEvent(new Event('visibilitychange'))`)
  await show('hidden')
  await page.clock.runFor(2_000) // the one that was under way
  const before = asked()
  await page.clock.runFor(20_000)
  expect(asked()).toBe(before)
  isDone = true
  await show('visible')
  await expect
    .poll(async () => {
      await page.clock.runFor(1_000)
      return page.getByText(/^Done: /).count()
    })
    .toBe(1)
  const atEnd = asked()
  await page.clock.runFor(20_000)
  expect(asked()).toBe(atEnd)
})

test('D22.3 a failed export says what to do and begins again with its times; too many say so', async ({
  member,
  organization,
}) => {
  const { page } = member
  const one = await begun(organization)
  const problem = 'The organization stores 100 of 100. Delete exports that you have downloaded.'
  await answer(page, one, () => ({
    ...one,
    status: 'failed',
    progress: 0,
    problem,
    finished_at: one.created_at,
  }))
  await member.open(`/exports/${one.id}`)
  await page.getByRole('alert').getByText(problem).waitFor()
  await expectAccessible(page)

  const whole = { dataset: 'history', format: 'csv' } as const
  const many = await Promise.all(
    Array.from({ length: 12 }, () => organization.admin.POST('/api/v1/exports', { body: whole })),
  )
  const refused = many.find(({ response }) => response.status === 429)
  expect(refused?.error).toBeDefined()
  const again = page.getByRole('button', { name: 'Begin again' })
  const sent: unknown[] = []
  await page.route('**/api/v1/exports', async (route) => {
    if (route.request().method() !== 'POST') return route.continue()
    sent.push(route.request().postDataJSON())
    await route.fulfill({ status: 429, json: refused?.error })
  })
  await again.click()
  await page.getByText('Too many exports are not done yet').waitFor()
  await page.getByText('Wait until one of the list is done, or delete one.').waitFor()
  const { dataset, format, from, to } = one
  expect(sent).toEqual([{ dataset, format, from, to }])
})
