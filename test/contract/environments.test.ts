import { startStack } from '@whereabouts/deploy/workshop/stack/stack'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, inject } from 'vitest'
import { startGateway } from '../system/gateways.ts'
import { jwtParts } from '../system/jwt.ts'
import { fromNewAddress } from '../system/addresses.ts'
import { createApi, type Api } from './support/api.ts'
import { test as base } from './support/fixtures.ts'
import { newOrganization, type Key } from './support/organization.ts'

const PREVIEW = { ENVIRONMENT: 'preview' }

/** A separate environment with its own database and broker. */
async function startPreview() {
  const { urls, secrets } = inject('place')
  const dataDir = mkdtempSync(join(tmpdir(), 'whereabouts-preview-'))
  const stack = await startStack({
    dataDir,
    secrets, // the database server is shared, and so are the passwords of its roles
    postgresUrl: urls.postgres,
    database: 'whereabouts_preview',
    services: ['keys', 'gateway'],
    env: { keys: PREVIEW, gateway: PREVIEW },
  })
  return {
    base: stack.urls.base,
    async stop() {
      await stack.stop()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

/** `preview`: the public port of the other environment. */
const test = base
  .extend('preview', { scope: 'file' }, async ({ description }, { onCleanup }) => {
    const preview = await startPreview()
    onCleanup(() => preview.stop())
    return createApi(preview.base, description)
  })
  .extend('previewKey', { scope: 'file' }, async ({ preview }) => (await newOrganization(preview)).key())
  .extend('previewAdmin', { scope: 'file' }, async ({ preview }) => (await newOrganization(preview)).admin)
  .extend('key', { scope: 'file' }, ({ org }) => org.key())

describe('general fact 3, D9.2: production and preview refuse credentials of the other', () => {
  const INVALID = { type: 'unauthorized', detail: 'Invalid or expired token' }
  const useOf = async (api: Api, token: string) => (await api.call('listApiKeys', listing(token))).body.error
  const listing = (token: string) => ({ params: { org_id: 1 }, token })

  // The first test of the file, and starts the other environment.
  test('each accepts its own', { timeout: 120_000 }, async ({ api, preview, key, previewKey }) => {
    expect((await api.call('getCurrentOrg', { token: key.token })).status).toBe(200)
    expect((await preview.call('getCurrentOrg', { token: previewKey.token })).status).toBe(200)
    expect(jwtParts(previewKey.token).claims['iss']).toContain('preview')
    expect(jwtParts(previewKey.token).claims['aud']).toContain('preview')
  })

  test('access tokens of keys', async ({ api, preview, key, previewKey }) => {
    expect(await useOf(preview, key.token)).toMatchObject(INVALID)
    expect(await useOf(api, previewKey.token)).toMatchObject(INVALID)
  })

  test('session tokens', async ({ api, preview, org, previewAdmin }) => {
    expect(await useOf(preview, org.admin)).toMatchObject(INVALID)
    expect(await useOf(api, previewAdmin)).toMatchObject(INVALID)
  })

  const exchange = (api: Api, { clientId: client_id, clientSecret: client_secret }: Key) =>
    api.call('createToken', {
      body: { grant_type: 'client_credentials', client_id, client_secret },
      headers: fromNewAddress(),
    })

  test('client credentials', async ({ api, preview, key, previewKey }) => {
    for (const reply of [await exchange(preview, key), await exchange(api, previewKey)]) {
      expect(reply.status).toBe(401)
      expect(reply.body.error.detail).toBe('Invalid client credentials')
    }
  })

  test('refresh tokens, which stay unused', async ({ api, preview, org }) => {
    const { refreshToken: refresh_token } = await org.key()
    const body = { grant_type: 'refresh_token', refresh_token }
    expect((await preview.call('createToken', { body, headers: fromNewAddress() })).status).toBe(401)
    expect((await api.call('createToken', { body, headers: fromNewAddress() })).status).toBe(200)
  })

  // The name in the token decides, not only the unknown signing key.
  test('even where the signing keys and the API keys are the same', async ({ description, key, org }) => {
    const misplaced = await startGateway(inject('place'), PREVIEW)
    try {
      const api = createApi(misplaced.base, description)
      expect(await useOf(api, key.token)).toMatchObject(INVALID)
      expect(await useOf(api, org.admin)).toMatchObject(INVALID)
    } finally {
      await misplaced.stop()
    }
  })
})
