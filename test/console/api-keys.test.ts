import { unwrap } from '@whereabouts/client/client'
import { expect } from 'vitest'
import { expectAccessible } from './support/accessible.ts'
import { STACK, test } from './support/visitor.fixture.ts'

const DAY_MS = 86_400_000
const AGENT = { 'user-agent': 'erp-connector/1' }

const exchangeOf = (client_id: string, client_secret: string) =>
  fetch(`${STACK.urls.base}/api/v1/oauth/token`, {
    method: 'POST',
    headers: AGENT,
    body: new URLSearchParams({ grant_type: 'client_credentials', client_id, client_secret }),
  })

test('a key created in the form works until it is revoked', async ({ member, organization }) => {
  const { page } = member
  await member.open('/api-keys')
  await page.getByRole('row', { name: /integrator/ }).waitFor()
  await page.getByRole('button', { name: 'New key' }).click()
  await page.getByRole('button', { name: 'Create key' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('Enter a name.').waitFor()
  await dialog.getByText('Choose what the key may do.').waitFor()
  await page.getByLabel('Name').fill('ERP connector')
  const level = (resource: string, name: string) =>
    page.getByRole('radiogroup', { name: resource }).getByRole('radio', { name, exact: true })
  await level('Assets', 'Read and write').check()
  await level('Scans', 'Read').check()
  await page.getByRole('combobox', { name: 'Expires' }).click()
  await page.getByRole('option', { name: 'In 90 days' }).click()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Create key' }).click()

  const value = (label: string) => page.getByLabel(label, { exact: true }).inputValue()
  const [id, secret] = [await value('Client ID'), await value('Client secret')]
  expect(await value('Get an access token')).toBe(
    `curl -s ${STACK.urls.base}/api/v1/oauth/token -d grant_type=client_credentials -d client_id=${id} -d client_secret=${secret}`,
  )
  const exchange = () => exchangeOf(id, secret)
  expect((await exchange()).status).toBe(200)
  await page.getByRole('button', { name: 'Done' }).isDisabled()
  await page.getByLabel('I have stored it').check()
  await page.getByRole('button', { name: 'Done' }).click()
  expect(await page.content()).not.toContain(secret)

  const row = page.getByRole('row', { name: /ERP connector/ })
  await row.getByText('Change assets').waitFor()
  const path = { org_id: organization.id }
  const { data: keys } = unwrap(
    await organization.admin.GET('/api/v1/orgs/{org_id}/api-keys', { params: { path } }),
  )
  const key = keys.find(({ name }) => name === 'ERP connector')
  expect(key?.scopes).toEqual(['assets:read', 'assets:write', 'scans:read'])
  const inDays = (Date.parse(key?.expires_at ?? '') - Date.now()) / DAY_MS
  expect(inDays).toBeGreaterThan(89.9)
  expect(inDays).toBeLessThanOrEqual(90)
  await row.getByText(key?.jti ?? 'no key').waitFor()
  await expectAccessible(page)

  await page.getByRole('button', { name: 'Revoke ERP connector' }).click()
  await page.getByText('are refused within a second').waitFor()
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
  await row.waitFor({ state: 'detached' })
  expect((await exchange()).status).toBe(401)
})

test('D17.6 the list says which key created a key, and a revocation can include what it created', async ({
  member,
  organization,
}) => {
  const params = { path: { org_id: organization.id } }
  const body = { name: 'Rotation', scopes: ['keys:admin' as const] }
  const { data: parent } = unwrap(
    await organization.admin.POST('/api/v1/orgs/{org_id}/api-keys', { params, body }),
  )
  const exchange = () => exchangeOf(parent.client_id, parent.client_secret)
  const { access_token: token } = (await (await exchange()).json()) as { access_token: string }
  const child = await fetch(`${STACK.urls.base}/api/v1/orgs/${organization.id}/api-keys`, {
    method: 'POST',
    headers: { ...AGENT, authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'Weekly', scopes: ['assets:read'] }),
  })
  expect(child.status).toBe(201)
  const { page } = member
  await member.open('/api-keys')
  const row = page.getByRole('row', { name: /Weekly/ })
  await row.getByText('by the key Rotation').waitFor()
  await page.getByRole('button', { name: 'Revoke Rotation' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('checkbox', { name: 'Also revoke the keys it created' }).check()
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Revoke' }).click()
  await row.waitFor({ state: 'detached' })
  expect((await exchange()).status).toBe(401)
})

test('an empty list explains keys; offline, creating a key fails', async ({ member, organization }) => {
  const { page, context } = member
  const path = { org_id: organization.id }
  const { data: keys } = unwrap(
    await organization.admin.GET('/api/v1/orgs/{org_id}/api-keys', { params: { path } }),
  )
  for (const { jti } of keys)
    unwrap(
      await organization.admin.DELETE('/api/v1/orgs/{org_id}/api-keys/{key_id}', {
        params: { path: { ...path, key_id: jti } },
      }),
    )
  await member.open('/api-keys')
  await page.getByText('No API keys yet').waitFor()
  await context.setOffline(true)
  await page.getByText('You see earlier data').waitFor()
  await page.getByText('No API keys yet').waitFor()
  await page.getByRole('button', { name: 'New key' }).click()
  await page.getByLabel('Name').fill('Offline')
  await page.getByRole('checkbox', { name: 'Manage API keys' }).check()
  await page.getByRole('button', { name: 'Create key' }).click()
  await page.getByRole('alert').getByText('The server cannot be reached').waitFor()
})

test('a member who is not an administrator sees whom to ask', async ({ visitor, organization }) => {
  const { page } = visitor
  const email = `bob-${process.pid}-${Date.now()}@example.com`
  const invited = await organization.admin.POST('/api/v1/orgs/{org_id}/invitations', {
    params: { path: { org_id: organization.id } },
    body: { email, role: 'member' },
  })
  await visitor.open('/sign-in')
  await page.evaluate(
    async (body) => {
      const headers = { 'content-type': 'application/json' }
      await fetch('/session/accept-invitation', { method: 'POST', headers, body: JSON.stringify(body) })
    },
    { token: unwrap(invited).data.token, name: 'Bob', password: 'correct horse battery' },
  )
  await visitor.open('/api-keys')
  await page.getByText('Only administrators can manage API keys').waitFor()
  await visitor.open('/readers')
  await page.getByText('Only administrators can set them up').waitFor()
  await expect.poll(() => page.getByRole('button', { name: 'Add reader' }).first().isDisabled()).toBe(true)
  await visitor.open('/start')
  await page.getByText('1 of 5 steps is done.').waitFor()
})
