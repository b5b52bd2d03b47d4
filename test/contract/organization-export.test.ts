import { inject, describe, expect } from 'vitest'
import { request } from 'node:http'
import { buffer } from 'node:stream/consumers'
import type { IncomingMessage } from 'node:http'
import { exportRowRoutes } from '@whereabouts/contracts/messages/export-rows'
import { API_PREFIX, type OperationId } from '@whereabouts/contracts/routes'
import { unzipped } from '@whereabouts/testing/unzipped'
import type { Api } from './support/api.ts'
import { test } from './support/fixtures.ts'
import { newMember } from './support/members.ts'
import { succeed } from './support/organization.ts'
import { newWorld, type World } from './support/world.ts'

/** As bytes, which `api.call` would take for a text. */
async function exported(orgId: number, token: string) {
  const headers = { 'user-agent': 'contract-suite/1', authorization: `Bearer ${token}` }
  const incoming = await new Promise<IncomingMessage>((resolve, reject) =>
    request(`${inject('urls').base}/api/v1/orgs/${orgId}/export`, { headers }, resolve)
      .on('error', reject)
      .end(),
  )
  expect(incoming.statusCode).toBe(200)
  return { headers: incoming.headers, files: await unzipped(await buffer(incoming)) }
}

const rowsOf = (files: Map<string, string>, name: string) =>
  (files.get(`${name}.ndjson`) ?? '')
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Record<string, unknown>)

/** The files that have exactly the rows of a list. */
const LISTS: Record<string, OperationId> = {
  members: 'listMembers',
  invitations: 'listInvitations',
  'api-keys': 'listApiKeys',
  'floor-plans': 'listFloorPlans',
  'unknown-tags': 'listUnknownTags',
}

async function listed(api: Api, { org }: World, operationId: OperationId, query: object = {}) {
  const call = { params: { org_id: org.id }, token: org.admin, query: { ...query } }
  return (await succeed(api.call(operationId, call))).body as unknown as { data: Record<string, unknown>[] }
}

const ascending = (a: number, b: number) => a - b
const idsOf = (rows: readonly Record<string, unknown>[]) =>
  rows.map(({ id }) => id as number).toSorted(ascending)

describe('D15.3 the export of an organization', () => {
  test('has what its lists show, also what was deleted, and nothing of another organization', async ({
    api,
  }) => {
    const [mine, theirs] = [await newWorld(api), await newWorld(api)]
    const gone = { name: 'Gone', external_key: `GONE-ASSET-${mine.asset.id}`, metadata: { maker: 'Linde' } }
    const { id: goneId } = (await succeed(api.call('createAsset', { token: mine.key.token, body: gone })))
      .body.data
    await succeed(api.call('deleteAsset', { token: mine.key.token, params: { asset_id: goneId } }))
    const { headers, files } = await exported(mine.org.id, mine.org.admin)
    expect(headers['content-type']).toBe('application/zip')
    expect(headers['content-disposition']).toMatch(
      /^attachment; filename="World-[0-9A-F]{12}-20\d\d-\d\d-\d\d\.zip"$/,
    )

    expect([...files.keys()][0]).toBe('README.txt')
    expect(files.get('README.txt')).toContain(`Export of ${mine.org.name}`)
    expect(rowsOf(files, 'organization')).toMatchObject([{ id: mine.org.id, name: mine.org.name }])
    for (const [name, operationId] of Object.entries(LISTS)) {
      const { data } = await listed(api, mine, operationId)
      expect(data.length, name).toBeGreaterThan(0)
      expect(rowsOf(files, name).map(withoutUse), name).toEqual(data.map(withoutUse))
    }
    for (const [name, operationId] of [['assets', 'listAssets'], ['locations', 'listLocations']] as const) {
      const { data } = await listed(api, mine, operationId, { include_deleted: true })
      expect(idsOf(rowsOf(files, name)), name).toEqual(idsOf(data))
      for (const row of data) expect(rowsOf(files, name)).toContainEqual(row)
    } // oxfmt-ignore
    expect(rowsOf(files, 'assets').find(({ id }) => id === goneId)).toMatchObject({
      metadata: gone.metadata,
      deleted_at: expect.any(String) as string,
    })
    expect(rowsOf(files, 'history')).toMatchObject([
      {
        asset_id: mine.asset.id,
        asset_external_key: mine.asset.external_key,
        location_id: mine.location.id,
        reader_key: mine.reader.reader_key,
      },
    ])
    expect(rowsOf(files, 'readers')).toMatchObject([
      { id: mine.reader.id, reader_key: mine.reader.reader_key },
    ])
    expect(rowsOf(files, 'scan-points')).toMatchObject([
      { id: mine.reader.scanPointId, reader_id: mine.reader.id },
    ])
    expect(idsOf(rowsOf(files, 'webhook-endpoints'))).toEqual(
      [mine.webhookId, mine.endpointId].toSorted(ascending),
    )
    expect(files.get(`floor-plans/${mine.imageHash}`)).toContain('<svg')
    const audit = (await listed(api, mine, 'listAudit', { limit: 200 })).data
    const shown = rowsOf(files, 'audit')
    expect(shown.length).toBeGreaterThan(10)
    for (const row of shown) expect(audit).toContainEqual(row)

    const all = [...files.values()].join('\n')
    const { key, readerKey, org } = mine
    for (const secret of [
      key.clientSecret,
      readerKey.clientSecret,
      key.token,
      key.refreshToken,
      org.admin,
      org.password,
    ])
      expect(all).not.toContain(secret)
    expect(all).not.toMatch(/whsec_|"(?:secret|token|password\w*|client_secret)":"/)
    for (const foreign of [theirs.org.name, theirs.asset.tagValue, theirs.org.email, String(theirs.asset.id)])
      expect(all).not.toContain(foreign)
  })

  test('leaves a row in the audit, with who began it', async ({ api, newOrg }) => {
    const org = await newOrg()
    const find = async () =>
      (
        await succeed(
          api.call('listAudit', {
            params: { org_id: org.id },
            token: org.admin,
            query: { action: 'export.create' },
          }),
        )
      ).body.data
    await api.call('exportOrg', { params: { org_id: org.id }, token: org.admin, method: 'HEAD' })
    for (const count of [1, 2, 3]) {
      await exported(org.id, org.admin)
      await expect.poll(find, { timeout: 10_000 }).toHaveLength(count)
    }
    for (const row of (await find()) ?? [])
      expect(row).toMatchObject({
        actor: { type: 'user', id: org.userId },
        subject: { type: 'org', id: org.id },
        ip: expect.any(String) as string,
      })
  })

  test('is the only way to what it reads: the paths of its streams are unknown', async ({ api, org }) => {
    for (const { path } of Object.values(exportRowRoutes))
      expect((await api.request(`${API_PREFIX}${path}`, { token: org.admin })).status, path).toBe(404)
  })

  test('members and viewers get 403', async ({ api, newOrg }) => {
    const org = await newOrg()
    for (const role of ['member', 'viewer'] as const) {
      const { access_token: token } = await newMember(api, org, role)
      expect((await api.call('exportOrg', { params: { org_id: org.id }, token })).status, role).toBe(403)
    }
  })
})

/** Of keys and members: when they were last used, which changes by itself. */
const withoutUse = (row: Record<string, unknown>) => ({ ...row, last_used_at: null, last_signed_in_at: null })
