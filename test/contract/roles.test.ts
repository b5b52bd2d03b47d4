import { hasRole, roles, type Role } from '@whereabouts/contracts/principal'
import { admitsSessions, leastRole } from '@whereabouts/contracts/route'
import { describe, expect } from 'vitest'
import { test as base } from './support/fixtures.ts'
import { references } from './support/attempts.ts'
import { newMember } from './support/members.ts'
import { newOrganization, succeed } from './support/organization.ts'
import { callOf, protectedRows, rows, type Row } from './support/rows.ts'

/** `people`: somebody of each role in `org`. `former`: somebody who was removed from it. `stranger`: an administrator of another one. */
const test = base
  .extend('people', { scope: 'file' }, async ({ api, org }) => ({
    admin: await newMember(api, org, 'admin'),
    member: await newMember(api, org, 'member'),
    viewer: await newMember(api, org, 'viewer'),
  }))
  .extend('former', { scope: 'file' }, async ({ api, org }) => {
    const { user, access_token: token } = await newMember(api, org, 'admin')
    const params = { org_id: org.id, user_id: user.id }
    await succeed(api.call('removeMember', { params, token: org.admin }))
    await expect.poll(async () => (await api.call('getCurrentUser', { token })).status).toBe(401)
    return token
  })
  .extend('stranger', { scope: 'file' }, async ({ api }) => (await newOrganization(api)).admin)

const refusal = (role: Role) => ({
  status: 403,
  type: 'forbidden',
  detail: `Organization ${role} role required. An administrator of the organization can give it to you`,
})

/** Without the one that is for the key of one reader: vendor.test.ts. */
const rowsOfRoles = protectedRows.filter(({ operationId }) => operationId !== 'listMessagesOfKey')
const cases = roles.flatMap((role) => rowsOfRoles.map((row) => ({ ...row, as: role })))

/** Everybody may leave the organization, but only administrators remove others. */
const leastRoleOf = (row: Row) => (row.operationId === 'removeMember' ? 'admin' : leastRole(row))

describe('D15.3 each operation is open from its least role on', () => {
  // With unknown ids and without a body, so that an admitted caller changes nothing.
  test.for(cases)('$operationId as $as', async ({ as: role, ...row }, { api, org, people }) => {
    const token = people[role].access_token
    const { status, body } = await api.call(row.operationId, { ...callOf(row.operationId, org), token })
    if (!admitsSessions(row)) expect(status).toBe(401)
    else if (hasRole(role, leastRoleOf(row))) expect([401, 403]).not.toContain(status)
    else expect(body.error).toMatchObject(refusal(leastRoleOf(row)))
  })

  test.for(protectedRows)(
    '$operationId after the end of the membership',
    async ({ operationId }, { api, org, former: token }) => {
      expect((await api.call(operationId, { ...callOf(operationId, org), token })).status).toBe(401)
    },
  )

  const ofOrganizations = rowsOfRoles.filter((row) => row.path.includes('{org_id}') && admitsSessions(row))
  test.for(ofOrganizations)(
    "$operationId as another organization's administrator",
    async ({ operationId, upstream, body: schema }, { api, org, stranger: token }) => {
      const body = schema && (references[operationId]?.valid ?? {})
      const { status } = await api.call(operationId, { ...callOf(operationId, org), token, body })
      expect(status).toBe(upstream === 'keys' ? 403 : 404) // tracking does not know organizations
    },
  )
})

/** What the route table says, written down a second time, so that no operation opens or closes by an oversight. */
describe('D15.3 the least roles', () => {
  const forSessions = rows.filter(admitsSessions)
  const idsOf = (found: readonly Row[]) => found.map(({ operationId }) => operationId).toSorted()

  test('viewers write only to their account, and use what stores nothing', () => {
    const open = forSessions.filter((row) => row.method !== 'GET' && leastRole(row) === 'viewer')
    expect(idsOf(open)).toEqual([
      'changeEmail',
      'changePassword',
      'confirmTotp',
      'createTotp',
      'decodeReaderMessage',
      'deleteTotp',
      'endSession',
      'joinOrg',
      'lookUpValues',
      'previewPlacement',
      'previewRule',
      'removeMember',
      'sendVerification',
      'switchOrg',
      'updateCurrentUser',
    ])
  })

  test('viewers read all but keys, invitations, the audit and the export of everything', () => {
    const closed = forSessions.filter((row) => row.method === 'GET' && leastRole(row) !== 'viewer')
    expect(idsOf(closed)).toEqual([
      'exportOrg',
      'listApiKeys',
      'listAudit',
      'listInvitations',
      'listLegacyApiKeys',
    ])
  })

  test('members administer neither people, keys, webhooks, readers, floor plans nor settings', () => {
    const forMembers = forSessions.filter((row) => row.method !== 'GET' && leastRole(row) === 'member')
    const administering = /^\/(?:orgs|webhook|readers|floor-plans)|\/erase$/
    const open = forMembers.filter(({ path }) => administering.test(path))
    expect(idsOf(open)).toEqual(['sendTestRead'])
  })
})

describe('D15.3 viewers', () => {
  test('see the address of nobody else', async ({ api, org, people }) => {
    const emails = async ({ access_token: token }: { access_token: string }) => {
      const { data } = (await api.call('listMembers', { params: { org_id: org.id }, token })).body
      return new Map(data.map(({ id, email }) => [id, email]))
    }
    const shown = await emails(people.viewer)
    expect(shown.size).toBe(4)
    const own = people.viewer.user
    for (const [id, email] of shown) expect(email).toBe(id === own.id ? own.email : null)
    for (const person of [people.member, people.admin])
      expect([...(await emails(person)).values()]).not.toContain(null)
  })

  test.for(roles)('a member of the role %s may leave', async (role, { api, newOrg }) => {
    const org = await newOrg()
    const { user, access_token: token } = await newMember(api, org, role)
    const params = { org_id: org.id, user_id: user.id }
    expect((await api.call('removeMember', { params, token })).status).toBe(204)
  })

  test('who becomes one writes no more within a second, and its keys go on', async ({ api, newOrg }) => {
    const org = await newOrg()
    const { user, ...session } = await newMember(api, org, 'admin')
    const key = await mintedBy(session.access_token)
    const params = { org_id: org.id, user_id: user.id }
    for (const role of ['member', 'viewer'] as const) {
      const changed = await api.call('updateMember', { params, token: org.admin, body: { role } })
      expect(changed.body.data.role).toBe(role)
    }
    const before = performance.now()
    const write = async (token: string) => api.call('createAsset', { token, body: { name: 'Box' } })
    await expect.poll(async () => (await write(session.access_token)).status, { interval: 5 }).toBe(401)
    expect(performance.now() - before).toBeLessThan(1_000)
    const refreshing = api.call('refreshSession', { body: { refresh_token: session.refresh_token } })
    const { access_token: token } = (await succeed(refreshing)).body.data
    expect((await write(token)).body.error).toMatchObject(refusal('member'))
    expect((await api.call('listAssets', { token })).body.total_count).toBe(0)
    expect((await write(key)).status).toBe(201)

    async function mintedBy(admin: string) {
      const body = { name: 'integrator', scopes: ['assets:write'] }
      const minting = api.call('createApiKey', { params: { org_id: org.id }, token: admin, body })
      const { client_id, client_secret } = (await succeed(minting)).body.data
      const credentials = { grant_type: 'client_credentials', client_id, client_secret }
      return (await succeed(api.call('createToken', { body: credentials }))).body.access_token
    }
  })

  test('the last administrator cannot become one', async ({ api, newOrg }) => {
    const { id, userId, admin: token } = await newOrg()
    const params = { org_id: id, user_id: userId }
    const { body } = await api.call('updateMember', { params, token, body: { role: 'viewer' } })
    expect(body.error).toMatchObject({ status: 409, type: 'conflict' })
  })
})
