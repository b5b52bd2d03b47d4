import { expect, inject } from 'vitest'
import { saved } from './support/moves.ts'
import { expectAccessible } from './support/accessible.ts'
import { test } from './support/visitor.fixture.ts'

const { receiver } = inject('console')

test('a webhook is registered, shows its secret once, is tested, paused and removed', async ({
  member,
  organization,
}) => {
  const { page } = member
  await member.open('/webhook')
  await page.getByRole('heading', { name: 'Register a webhook' }).waitFor()
  await expectAccessible(page)

  await page.getByRole('button', { name: 'Register' }).click()
  await page.getByText('Enter an address.').waitFor()
  await page.getByLabel('URL').fill('ftp://example.com')
  await page.getByRole('button', { name: 'Register' }).click()
  await page.getByText('Must use https.').waitFor()
  expect(await page.getByLabel('URL').getAttribute('aria-invalid')).toBe('true')
  await page.getByLabel('URL').fill(receiver)
  await page.getByRole('button', { name: 'Register' }).click()

  const secret = await page.getByLabel('Signing secret', { exact: true }).inputValue()
  expect(secret).toMatch(/^whsec_/)
  await expect.poll(() => page.getByRole('button', { name: 'Done' }).isDisabled()).toBe(true)
  page.once('dialog', (dialog) => void dialog.dismiss())
  await page.getByRole('link', { name: 'Assets', exact: true }).click()
  await page.getByRole('button', { name: 'Copy Signing secret' }).click()
  expect(await page.evaluate<string>('navigator.clipboard.readText()')).toBe(secret)
  expect(new URL(page.url()).pathname).toBe('/webhook')
  await page.getByLabel('I have stored it').check()
  await page.getByRole('button', { name: 'Done' }).click()
  await page.getByText(new RegExp(`${secret.slice(-4)}$`)).waitFor()
  await page.getByText('No deliveries yet').waitFor()

  const remove = page.getByRole('button', { name: 'Remove webhook' })
  const before = await remove.boundingBox()
  await page.getByRole('button', { name: 'Send test event' }).click()
  await page.getByRole('status').getByText('The event was delivered.').waitFor()
  expect((await remove.boundingBox())?.x).toBe(before?.x)
  await page.getByRole('cell', { name: /\(test\)/ }).waitFor()
  await saved(organization)
  await page.getByRole('cell', { name: '1', exact: true }).waitFor()
  await expectAccessible(page)

  await page.getByRole('button', { name: 'Replace the secret' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Replace the secret' }).click()
  const next = await page.getByLabel('Signing secret', { exact: true }).inputValue()
  expect(next).toMatch(/^whsec_[0-9a-f]{64}$/)
  expect(next).not.toBe(secret)
  await page.getByRole('button', { name: 'Copy Signing secret' }).click()
  await page.getByLabel('I have stored it').check()
  await page.getByRole('button', { name: 'Done' }).click()
  await page.getByText(new RegExp(`${next.slice(-4)}$`)).waitFor()

  await page.getByLabel('Deliver events').click({ force: true })
  await page.getByLabel('Deliver events').and(page.locator(':not(:checked)')).waitFor()
  await page.reload()
  expect(await page.getByLabel('Deliver events').isChecked()).toBe(false)
  await page.getByRole('button', { name: 'Remove webhook' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Remove webhook' }).click()
  await page.getByRole('heading', { name: 'Register a webhook' }).waitFor()
})

test('shows offline and failures, and keeps typed text', async ({ member }) => {
  const { page, context } = member
  await member.open('/members')
  await page.getByRole('link', { name: 'Webhook' }).hover() // preloads the script of the screen
  await page.getByRole('cell', { name: /Ada/ }).waitFor()
  await page.route('**/api/v1/webhooks', (route) =>
    route.fulfill({
      status: 403,
      json: {
        error: { type: 'forbidden', title: 'Forbidden', status: 403, detail: 'No', request_id: 'req-17' },
      },
    }),
  )
  await page.getByRole('link', { name: 'Webhook' }).click()
  await page.getByRole('alert').getByText('req-17').waitFor()
  await page.unroute('**/api/v1/webhooks')
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByLabel('URL').fill('https://example.com/kept')
  await context.setOffline(true)
  await page.getByText('You are offline').waitFor()
  await page.getByRole('button', { name: 'Register' }).click()
  await page.getByRole('alert').getByText('The server cannot be reached').waitFor()
  await expect.poll(() => page.getByLabel('URL').inputValue()).toBe('https://example.com/kept')
  await context.setOffline(false)
  await page.getByText('You are offline').waitFor({ state: 'hidden' })
})
