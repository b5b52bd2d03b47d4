import { unwrap } from '@whereabouts/client/client'
import type { Page } from 'playwright-core'
import { expect, inject } from 'vitest'
import { newLocation, newWebhook, type Organization } from '../system/organization.ts'
import { saved } from './support/moves.ts'
import { expectAccessible } from './support/accessible.ts'
import { DEAD } from './support/screens.ts'
import { test } from './support/visitor.fixture.ts'

const { receiver } = inject('console')
const URL_FIELD = { name: 'URL' } as const
const LIST = '**/api/v1/webhook-endpoints'

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name })
const inDialog = (page: Page, name: string) => page.getByRole('dialog').getByRole('button', { name })

async function storeSecret(page: Page): Promise<string> {
  const secret = await page.getByLabel('Signing secret', { exact: true }).inputValue()
  await page.getByLabel('I have stored it').check()
  await button(page, 'Done').click()
  return secret
}

async function newEndpoint(org: Organization, url: string): Promise<number> {
  return unwrap(await org.admin.POST('/api/v1/webhook-endpoints', { body: { url } })).data.id
}

test('a webhook is created, shows its secret once, is tested, paused and removed', async ({
  member,
  organization,
}) => {
  const { page } = member
  await member.open('/webhooks')
  await page.getByText('No webhook yet').waitFor()
  await expectAccessible(page)

  await button(page, 'New webhook').click()
  await button(page, 'Create webhook').click()
  await page.getByText('Enter an address.').waitFor()
  await page.getByRole('textbox', URL_FIELD).fill('ftp://example.com')
  await button(page, 'Create webhook').click()
  await page.getByText('Must use https.').waitFor()
  expect(await page.getByRole('textbox', URL_FIELD).getAttribute('aria-invalid')).toBe('true')
  await page.getByRole('textbox', URL_FIELD).fill(receiver)
  await button(page, 'Create webhook').click()

  const secret = await page.getByLabel('Signing secret', { exact: true }).inputValue()
  expect(secret).toMatch(/^whsec_/)
  await expect.poll(() => button(page, 'Done').isDisabled()).toBe(true)
  page.once('dialog', (dialog) => void dialog.dismiss())
  await page.getByRole('link', { name: 'Assets', exact: true }).click()
  await button(page, 'Copy Signing secret').click()
  expect(await page.evaluate<string>('navigator.clipboard.readText()')).toBe(secret)
  expect(new URL(page.url()).pathname).toBe('/webhooks')
  await storeSecret(page)
  await page.waitForURL(/\/webhooks\/\d+$/)
  await page.getByText(new RegExp(`${secret.slice(-4)}$`)).waitFor()
  await page.getByText('No deliveries yet').waitFor()

  const remove = button(page, 'Remove webhook')
  const before = await remove.boundingBox()
  await button(page, 'Send test event').click()
  await page.getByRole('status').getByText('The event was delivered.').waitFor()
  expect((await remove.boundingBox())?.x).toBe(before?.x)
  await saved(organization)
  await page.getByRole('cell', { name: 'Delivered', exact: true }).waitFor()
  await expectAccessible(page)

  await button(page, 'Replace the secret').click()
  await inDialog(page, 'Replace the secret').click()
  const next = await storeSecret(page)
  expect(next).toMatch(/^whsec_[0-9a-f]{64}$/)
  expect(next).not.toBe(secret)
  await page.getByText(new RegExp(`${next.slice(-4)}$`)).waitFor()

  await page.getByLabel('Deliver events').click({ force: true })
  await page.getByText('Deliveries are off', { exact: true }).waitFor()
  await page.reload()
  await page.getByLabel('Deliver events').and(page.locator(':not(:checked)')).waitFor()
  expect(await button(page, /^Replay/).isDisabled()).toBe(true)
  await expectAccessible(page)
  await button(page, `Switch on ${receiver}`).click()
  await page.getByLabel('Deliver events').and(page.locator(':checked')).waitFor()
  await button(page, 'Remove webhook').click()
  await inDialog(page, 'Remove webhook').click()
  await page.waitForURL('**/webhooks')
  await page.getByText('No webhook yet').waitFor()
})

test('D13.11 a failed delivery shows its attempts, is sent again from another tab, and both tabs see it arrive', async ({
  member,
  organization,
}) => {
  const { page, context } = member
  const id = await newEndpoint(organization, DEAD)
  await member.open(`/webhooks/${id}`)
  await page.getByText('No deliveries yet').waitFor()
  await saved(organization)
  const row = page.getByRole('region', { name: 'Deliveries', exact: true }).locator('tbody tr')
  await row.filter({ hasText: 'Failed' }).waitFor()
  await page.getByRole('img', { name: 'Attempts in the last 24 hours: 0 delivered, 3 failed' }).waitFor()
  await page.getByText('Nothing waits.').waitFor()
  await button(page, /^Open Asset moved/).click()
  const dialog = page.getByRole('dialog')
  const attempts = dialog.getByRole('region', { name: 'Attempts' }).locator('tbody tr')
  await expect.poll(() => attempts.count()).toBe(3)
  await dialog.getByText('"event": "asset.moved"').waitFor()
  await expectAccessible(page)

  const other = await context.newPage()
  await other.goto(page.url())
  await button(other, 'Resend').waitFor()
  await other.keyboard.press('Escape')
  await button(other, 'Edit').click()
  await other.getByRole('textbox', URL_FIELD).fill(receiver)
  await button(other, 'Save').click()
  await other.getByRole('dialog').waitFor({ state: 'detached' })
  await button(other, /^Open Asset moved/).click()
  await button(other, 'Resend').click()
  for (const tab of [page, other]) {
    await tab.getByRole('dialog').getByText('Delivered', { exact: true }).waitFor()
    const rows = tab.getByRole('dialog').getByRole('region', { name: 'Attempts' }).locator('tbody tr')
    await expect.poll(() => rows.count()).toBe(4)
    await tab.keyboard.press('Escape')
  }
  await page.getByText(receiver, { exact: true }).waitFor()
  await page.getByLabel('State').selectOption('Failed')
  await page.getByText('No matching deliveries').waitFor()
  await page.getByLabel('State').selectOption('Delivered')
  await row.filter({ hasText: 'Delivered' }).waitFor()
})

test('D13.8 a replay says how much is sent again, and that receivers must verify webhook-timestamp', async ({
  member,
  organization,
}) => {
  const { page } = member
  const id = await newEndpoint(organization, receiver)
  for (const name of ['One', 'Two', 'Three']) await saved(organization, name)
  await member.open(`/webhooks/${id}`)
  const rows = page.getByRole('region', { name: 'Deliveries', exact: true }).locator('tbody tr')
  await expect.poll(() => rows.filter({ hasText: 'Delivered' }).count()).toBe(3)
  await button(page, 'Replay').click()
  await page.getByRole('dialog').getByText('webhook-timestamp').waitFor()
  await expectAccessible(page)
  await page.getByLabel('From').fill('')
  await inDialog(page, 'Replay').click()
  await page.getByText('Enter a date and time.').waitFor()
  await page.getByLabel('From').fill('2020-01-01T00:00')
  await inDialog(page, 'Replay').click()
  await page.getByText('3 events are sent again').waitFor()
  await page.getByRole('dialog').getByText('webhook-timestamp').waitFor()
  await inDialog(page, 'Close').last().click()
  await page.getByRole('img', { name: 'Attempts in the last 24 hours: 6 delivered, 0 failed' }).waitFor()

  await button(page, 'Replay').click()
  await page.getByLabel('From').fill('2020-01-01T00:00')
  await page.getByLabel('To', { exact: true }).fill('2020-01-02T00:00')
  await inDialog(page, 'Replay').click()
  await page.getByText('Nothing of these events was recorded in this time').waitFor()
})

test('D13.4 D13.9 events, retries and a filter are chosen and changed; what another tab changed stays', async ({
  member,
  organization,
}) => {
  const { page, context } = member
  await newLocation(organization, 'Hall', 'HALL')
  await newWebhook(organization, receiver)
  await member.open('/webhooks')
  await button(page, 'New webhook').click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox', URL_FIELD).fill(receiver)
  await dialog.getByLabel('Asset moved').uncheck()
  await button(page, 'Create webhook').click()
  await dialog.getByText('Choose an event.').waitFor()
  await dialog.getByLabel('Asset created').check()
  await dialog.getByLabel('Reader silent').check()
  await dialog.getByLabel('Attempts for 72 hours').check()
  await dialog.getByLabel('People').check()
  await dialog.getByRole('combobox', { name: 'Only these locations' }).fill('hall')
  await page.getByRole('option', { name: 'Hall (HALL)' }).click()
  await button(page, 'Remove Hall').waitFor()
  await expectAccessible(page)
  await button(page, 'Create webhook').click()
  await storeSecret(page)
  await page.getByText('Attempts for 72 hours of: Asset created, Reader silent').waitFor()
  await page.getByText('Only: People; Hall and their sub-locations').waitFor()

  const other = await context.newPage()
  await other.goto(page.url())
  await button(page, 'Edit').click()
  await button(other, 'Edit').click()
  await other.getByLabel('Three attempts').check()
  await button(other, 'Save').click()
  await other.getByText('Three attempts of: Asset created, Reader silent').waitFor()
  await dialog.getByLabel('Reader silent').uncheck()
  await button(page, 'Remove Hall').click()
  await button(page, 'Save').click()
  await page.getByText('Three attempts of: Asset created', { exact: true }).waitFor()
  await page.getByText('Only: People', { exact: true }).waitFor()

  await page.getByRole('link', { name: 'All webhooks' }).click()
  const rows = page.getByRole('region', { name: 'Webhooks' }).locator('tbody tr')
  await rows.filter({ hasText: 'primary' }).waitFor()
  expect(await rows.count()).toBe(2)
  await rows
    .getByRole('img', { name: /: 0 delivered, 0 failed, 0 waiting$/ })
    .first()
    .waitFor()
  await expectAccessible(page)
})

test('two tabs create the first webhook at the same moment: both exist; the limit is said at the button', async ({
  member,
  organization,
}) => {
  const { page, context } = member
  const other = await context.newPage()
  for (const tab of [page, other]) {
    await tab.goto('/webhooks')
    await button(tab, 'New webhook').click()
    await tab.getByRole('textbox', URL_FIELD).fill(receiver)
  }
  for (const tab of [page, other]) {
    await button(tab, 'Create webhook').click()
    await storeSecret(tab)
    await tab.waitForURL(/\/webhooks\/\d+$/)
  }
  // The first webhook and one further exist; more come until the API refuses one.
  let further: number | undefined
  for (let id = await addedTo(organization); id !== undefined; id = await addedTo(organization)) further = id
  await page.getByRole('link', { name: 'All webhooks' }).click()
  expect(await button(page, 'Limit reached: 11 webhooks').isDisabled()).toBe(true)
  expect(await button(page, 'New webhook').count()).toBe(0)
  const params = { path: { webhook_id: further ?? 0 } }
  await organization.admin.DELETE('/api/v1/webhook-endpoints/{webhook_id}', { params })
  await button(page, 'New webhook').waitFor()
})

/** Undefined at the limit. */
async function addedTo(org: Organization): Promise<number | undefined> {
  const answer = await org.admin.POST('/api/v1/webhook-endpoints', { body: { url: receiver } })
  return answer.response.status === 409 ? undefined : unwrap(answer).data.id
}

test('D13.10 a webhook that fails, or was switched off for it, says since when and what to do', async ({
  member,
  organization,
}) => {
  const { page } = member
  const id = await newEndpoint(organization, DEAD)
  await saved(organization)
  await member.open(`/webhooks/${id}`)
  await page.getByRole('cell', { name: 'Failed', exact: true }).waitFor()
  // It would take a quarter of an hour, and five days.
  let health = { health: 'failing', enabled: true, disabled_because: null as string | null }
  await page.route(`${LIST}*`, async (route) => {
    const answer = await route.fetch()
    const { data } = (await answer.json()) as { data: object[] }
    await route.fulfill({ response: answer, json: { data: data.map((one) => Object.assign(one, health)) } })
  })
  await page.route(`${LIST}/${id}`, async (route) => {
    if (route.request().method() !== 'GET') return route.continue()
    const answer = await route.fetch()
    const { data } = (await answer.json()) as { data: object }
    return route.fulfill({ response: answer, json: { data: { ...data, ...health } } })
  })
  await page.reload()
  await page.getByText(/^Every attempt since .* has failed\./).waitFor()
  await page.getByText(/replay what it missed/).waitFor()
  await expectAccessible(page)

  health = { health: 'disabled', enabled: false, disabled_because: 'failing' }
  await page.reload()
  await page.getByText('Switched off after five days of failures').waitFor()
  await page.getByText(/^Every attempt since .* Repair your receiver/).waitFor()
  await expectAccessible(page)
  await member.open('/')
  const attention = page.getByRole('region', { name: 'Needs attention' })
  await attention.getByText(`${DEAD}: switched off after five days of failures.`).waitFor()
  await attention.getByRole('link', { name: '1 webhook that fails' }).click()
  await page.getByText('Off after failures').waitFor()
  await page.unrouteAll()
  await button(page, `Switch on ${DEAD}`).click()
  await page.getByText('OK', { exact: true }).waitFor()
})

test('shows offline and failures, and keeps typed text', async ({ member }) => {
  const { page, context } = member
  await member.open('/members')
  await page.getByRole('link', { name: 'Webhooks' }).hover() // preloads the script of the screen
  await page.getByRole('cell', { name: /Ada/ }).waitFor()
  await page.route(LIST, (route) =>
    route.fulfill({
      status: 403,
      json: {
        error: { type: 'forbidden', title: 'Forbidden', status: 403, detail: 'No', request_id: 'req-17' },
      },
    }),
  )
  await page.getByRole('link', { name: 'Webhooks' }).click()
  await page.getByRole('alert').getByText('req-17').waitFor()
  await page.unroute(LIST)
  await button(page, 'Try again').click()
  await button(page, 'New webhook').click()
  await page.getByRole('textbox', URL_FIELD).fill('https://example.com/kept')
  await context.setOffline(true)
  await page.getByText('You are offline').waitFor()
  await button(page, 'Create webhook').click()
  await page.getByRole('alert').getByText('The server cannot be reached').waitFor()
  await expect.poll(() => page.getByRole('textbox', URL_FIELD).inputValue()).toBe('https://example.com/kept')
  await context.setOffline(false)
  await page.getByText('You are offline').waitFor({ state: 'hidden' })
})
