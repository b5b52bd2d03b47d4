import type { OperationId } from '@whereabouts/contracts/routes'
import { inject } from 'vitest'
import { codeOf } from '../../system/totp.ts'
import { mailedToken } from '../../system/mail.ts'
import type { CallOptions } from '../support/api.ts'
import { jwtParts } from '../../system/jwt.ts'
import { fromNewAddress } from '../../system/addresses.ts'
import { newOrganization, succeed, type Organization } from '../support/organization.ts'
import { UNKNOWN_ID } from '../support/rows.ts'
import { unique, type Given, type Scenario } from './scenario.ts'

const NEEDS_PROVIDER = 'needs a sign-on provider: single-sign-on.int.test.ts of keys runs one'
const PASSWORD = 'correct horse battery'
const newEmail = () => `${unique('bob')}@example.com`
const signUp = (email = newEmail()) => ({ org_name: 'Acme', name: 'Ada', email, password: PASSWORD })
const keyBody = { name: 'k', scopes: ['assets:read'] }
const ownOrg = ({ org }: Given) => ({ params: { org_id: org.id } })

/** Sends more failing requests from one address at once than the limit allows. */
async function repeatedly(
  { api }: Given,
  operationId: OperationId,
  callOf: () => CallOptions,
): Promise<CallOptions> {
  const headers = fromNewAddress()
  const calls = Array.from({ length: 40 }, () => api.call(operationId, { ...callOf(), headers }))
  await Promise.all(calls)
  return { ...callOf(), headers }
}

/** From an address that wrong tokens have used up: attempts on one account would each be delayed by seconds. */
async function fromUsedAddress(given: Given, call: CallOptions): Promise<CallOptions> {
  const { headers = {} } = await repeatedly(given, 'logOut', () => ({ body: { refresh_token: 'unknown' } }))
  return { ...call, headers }
}

async function session({ api }: Given, org: Organization) {
  const body = { email: org.email, password: org.password }
  return (await succeed(api.call('logIn', { body }))).body.data
}

const switchBody = async (given: Given, orgId: number) => ({
  org_id: orgId,
  refresh_token: (await session(given, given.org)).refresh_token,
})

async function invite({ api, org }: Given) {
  const body = { email: newEmail(), role: 'member' }
  const call = { params: { org_id: org.id }, token: org.admin, body }
  return (await succeed(api.call('createInvitation', call))).body.data
}

/** An administrator of another organization, invited to this one. */
async function invitedStranger(given: Given) {
  const org = await newOrganization(given.api)
  const call = { ...ownOrg(given), token: given.org.admin, body: { email: org.email, role: 'member' } }
  return { org, token: (await succeed(given.api.call('createInvitation', call))).body.data.token }
}

async function newMember(given: Given) {
  const { token } = await invite(given)
  const body = { token, name: 'Bob', password: PASSWORD }
  return (await succeed(given.api.call('acceptInvitation', { body }))).body.data
}

/** The token of the mail to the new address of somebody. Of a new organization, whose administrator is the caller. */
async function changeOfAddress(api: Given['api'], email: string) {
  const { admin, password } = await newOrganization(api)
  await succeed(api.call('changeEmail', { token: admin, body: { email, password } }))
  const token = await mailedToken(inject('urls').mail, email, 'Confirm your new e-mail address')
  return { token: admin, body: { token } }
}

/** A secret of a new person that waits for this code. */
async function pendingCodes(api: Given['api']) {
  const { admin: token, password } = await newOrganization(api)
  const { secret } = (await succeed(api.call('createTotp', { token }))).body.data
  return { token, password, body: { code: codeOf(secret) } }
}

/** A new person who has switched codes on, and a recovery code. */
async function withCodes(api: Given['api']) {
  const { password, ...call } = await pendingCodes(api)
  const [code = ''] = (await succeed(api.call('confirmTotp', call))).body.data.recovery_codes
  return { token: call.token, body: { password, code } }
}

const linkBody = { reader_key: 'dock-1', format: 'canonical' }

async function provisioningLink({ api, org }: Pick<Given, 'api' | 'org'>) {
  const call = { params: { org_id: org.id }, token: org.admin, body: linkBody }
  return { token: (await succeed(api.call('createProvisioningLink', call))).body.data.token }
}

const memberPath = async (given: Given) => ({
  params: { org_id: given.org.id, user_id: (await newMember(given)).user.id },
})

/** The only administrator, as a member of the organization. */
const lastAdmin = ({ org }: Given) => ({ params: { org_id: org.id, user_id: org.userId } })

const wrongClient = { grant_type: 'client_credentials', client_id: crypto.randomUUID(), client_secret: 'x' }
const wrongLogin = () => ({ email: newEmail(), password: PASSWORD })

const tokens = (operationId: 'createToken' | 'createLegacyToken'): Scenario => ({
  200: async ({ org }) => {
    const { clientId, clientSecret } = await org.key()
    return { body: { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret } }
  },
  401: () => ({ body: wrongClient, headers: fromNewAddress() }),
  429: (given) => repeatedly(given, operationId, () => ({ body: wrongClient })),
})

/** Tokens and API keys are the same in both vocabularies (D17.1). */
const currentOrg: Scenario = {
  200: () => ({}),
  404: 'the tokens of a deleted organization are refused before',
}
async function fillWithKeys(api: Given['api']) {
  const org = await newOrganization(api)
  const full = { params: { org_id: org.id }, token: org.admin, body: keyBody }
  const made = await Promise.all(Array.from({ length: 200 }, () => api.call('createApiKey', full)))
  if (made.some(({ status }) => status !== 201)) throw new Error('fewer than 200 keys were created')
  return { org, full }
}

let filled: ReturnType<typeof fillWithKeys> | undefined
/** One for all: it takes seconds, and no test changes it. */
const withoutRoomForKeys = (api: Given['api']) => (filled ??= fillWithKeys(api))

const newKey: Scenario = {
  201: (given) => ({ ...ownOrg(given), body: keyBody }),
  409: async ({ api }) => (await withoutRoomForKeys(api)).full,
}
const revocation: Scenario = {
  204: async ({ org }) => ({ params: { org_id: org.id, key_id: (await org.key()).id } }),
}

export const peopleScenarios: Record<string, Scenario> = {
  createToken: tokens('createToken'),
  createLegacyToken: tokens('createLegacyToken'),
  signUp: {
    201: () => ({ body: signUp() }),
    409: ({ org }) => ({ body: signUp(org.email), headers: fromNewAddress() }),
    429: (given) => repeatedly(given, 'signUp', () => ({ body: signUp(given.org.email) })),
  },
  logIn: {
    200: ({ org }) => ({ body: { email: org.email, password: org.password } }),
    401: () => ({ body: wrongLogin(), headers: fromNewAddress() }),
    429: (given) => repeatedly(given, 'logIn', () => ({ body: wrongLogin() })),
  },
  refreshSession: {
    200: async (given) => ({
      body: { refresh_token: (await session(given, given.org)).refresh_token },
    }),
    401: () => ({ body: { refresh_token: 'unknown' }, headers: fromNewAddress() }),
    429: (given) => repeatedly(given, 'refreshSession', () => ({ body: { refresh_token: 'unknown' } })),
    404: async (given) => ({ body: await switchBody(given, UNKNOWN_ID) }),
  },
  logOut: {
    204: async (given) => ({ body: { refresh_token: (await session(given, given.org)).refresh_token } }),
    429: (given) => repeatedly(given, 'logOut', () => ({ body: { refresh_token: 'unknown' } })),
  },
  getCurrentUser: { 200: () => ({}) },
  changePassword: {
    204: async ({ api }) => {
      const org = await newOrganization(api)
      const body = { current_password: org.password, new_password: `${org.password} 2` }
      return { token: org.admin, body }
    },
    429: async (given) => {
      const { admin: token } = await newOrganization(given.api)
      const body = { current_password: 'wrong', new_password: PASSWORD }
      return fromUsedAddress(given, { token, body })
    },
  },
  updateCurrentUser: { 200: () => ({ body: { name: 'Ada' } }) },
  getOrg: { 200: ownOrg },
  updateOrg: { 200: async (given) => ({ ...ownOrg(given), body: { name: given.org.name } }) },
  deleteOrg: {
    202: async ({ api }) => {
      const org = await newOrganization(api)
      return { params: { org_id: org.id }, token: org.admin, body: { name: org.name } }
    },
  },
  exportOrg: {
    200: ownOrg,
    429: 'an export must be on its way: organization-export.int.test.ts of the gateway holds one back',
  },
  createResetLink: {
    201: memberPath,
    409: async (given) => lastAdmin(given),
  },
  resetPassword: {
    204: async (given) => {
      const call = { ...(await memberPath(given)), token: given.org.admin }
      const { token } = (await succeed(given.api.call('createResetLink', call))).body.data
      return { body: { token, password: PASSWORD } }
    },
    401: () => ({ body: { token: 'unknown', password: PASSWORD }, headers: fromNewAddress() }),
    429: (given) =>
      repeatedly(given, 'resetPassword', () => ({ body: { token: 'unknown', password: PASSWORD } })),
  },
  forgotPassword: {
    202: () => ({ body: { email: newEmail() } }),
    429: (given) => repeatedly(given, 'forgotPassword', () => ({ body: { email: newEmail() } })),
  },
  describeSignOn: { 200: () => ({}) },
  startSignOn: {
    302: NEEDS_PROVIDER,
    400: 'takes any parameters, as links of providers have them',
    404: () => ({}),
    429: NEEDS_PROVIDER,
    503: NEEDS_PROVIDER,
  },
  finishSignOn: {
    302: NEEDS_PROVIDER,
    400: () => ({ query: 'state=x&state=x' }),
    403: NEEDS_PROVIDER,
    404: () => ({}),
  },
  openSignOnSession: {
    200: NEEDS_PROVIDER,
    401: NEEDS_PROVIDER,
    404: () => ({ body: { code: 'unknown' } }),
    429: NEEDS_PROVIDER,
  },
  sendVerification: {
    202: async ({ api }) => ({ token: (await newOrganization(api)).admin }),
    429: async ({ api }) => {
      const { admin: token } = await newOrganization(api)
      for (let times = 0; times < 3; times += 1) await api.call('sendVerification', { token })
      return { token }
    },
  },
  verifyEmail: {
    204: async ({ api }) => {
      const { email, admin } = await newOrganization(api)
      const token = await mailedToken(inject('urls').mail, email, 'Confirm your e-mail address')
      return { token: admin, body: { token } }
    },
    401: () => ({ body: { token: 'unknown' }, headers: fromNewAddress() }),
    429: (given) => repeatedly(given, 'verifyEmail', () => ({ body: { token: 'unknown' } })),
  },
  changeEmail: {
    202: async ({ api }) => {
      const { admin: token, password } = await newOrganization(api)
      return { token, body: { email: newEmail(), password } }
    },
    429: async (given) => {
      const { admin: token } = await newOrganization(given.api)
      const body = { email: newEmail(), password: 'wrong' }
      return fromUsedAddress(given, { token, body })
    },
  },
  confirmEmail: {
    204: ({ api }) => changeOfAddress(api, newEmail()),
    401: () => ({ body: { token: 'unknown' }, headers: fromNewAddress() }),
    409: async ({ api }) => {
      const { email } = await newOrganization(api)
      return changeOfAddress(api, email)
    },
    429: (given) => repeatedly(given, 'confirmEmail', () => ({ body: { token: 'unknown' } })),
  },
  createTotp: {
    201: () => ({}),
    409: async ({ api }) => ({ token: (await withCodes(api)).token }),
  },
  confirmTotp: {
    200: async ({ api }) => {
      const { token, body } = await pendingCodes(api)
      return { token, body }
    },
    404: async ({ api }) => ({ token: (await newOrganization(api)).admin, body: { code: '000000' } }),
    409: async ({ api }) => ({ token: (await withCodes(api)).token, body: { code: '000000' } }),
  },
  deleteTotp: {
    204: ({ api }) => withCodes(api),
    404: async ({ api }) => {
      const { admin: token, password } = await newOrganization(api)
      return { token, body: { password, code: '000000' } }
    },
    429: async (given) => {
      const { token, body } = await withCodes(given.api)
      return fromUsedAddress(given, { token, body: { ...body, password: 'wrong' } })
    },
  },
  createProvisioningLink: {
    201: (given) => ({ ...ownOrg(given), body: linkBody }),
    409: async ({ api }) => {
      const org = await newOrganization(api)
      await Promise.all(Array.from({ length: 100 }, () => provisioningLink({ api, org })))
      return { params: { org_id: org.id }, token: org.admin, body: linkBody }
    },
  },
  provisionReader: {
    200: async (given) => ({ body: await provisioningLink(given) }),
    404: () => ({ body: { token: 'unknown' } }),
    409: async (given) => {
      const { org } = await withoutRoomForKeys(given.api)
      return { body: await provisioningLink({ ...given, org }) }
    },
    429: (given) => repeatedly(given, 'provisionReader', () => ({ body: { token: 'unknown' } })),
  },
  listSessions: { 200: () => ({}) },
  endSession: {
    204: async (given) => {
      const { access_token } = await session(given, given.org)
      return { params: { session_id: String(jwtParts(access_token).claims['sid']) } }
    },
  },
  switchOrg: {
    200: async (given) => ({ body: await switchBody(given, given.org.id) }),
    404: async (given) => ({ body: await switchBody(given, UNKNOWN_ID) }),
  },

  getCurrentOrg: currentOrg,
  listLimits: { 200: () => ({}) },
  getLegacyCurrentOrg: currentOrg,
  listApiKeys: { 200: ownOrg },
  listLegacyApiKeys: { 200: ownOrg },
  createApiKey: newKey,
  createLegacyApiKey: newKey,
  revokeApiKey: revocation,
  revokeLegacyApiKey: revocation,

  listAudit: { 200: ownOrg, 410: 'needs rows of 400 days ago: services/keys tests it' },
  listMembers: { 200: ownOrg },
  updateMember: {
    200: async (given) => ({ ...(await memberPath(given)), body: { role: 'member' } }),
    409: async (given) => {
      const org = await newOrganization(given.api)
      return { ...lastAdmin({ ...given, org }), token: org.admin, body: { role: 'member' } }
    },
  },
  removeMember: {
    204: memberPath,
    409: async (given) => {
      const org = await newOrganization(given.api)
      return { ...lastAdmin({ ...given, org }), token: org.admin }
    },
  },
  listInvitations: { 200: ownOrg },
  createInvitation: {
    201: (given) => ({ ...ownOrg(given), body: { email: newEmail(), role: 'member' } }),
    409: (given) => ({ ...ownOrg(given), body: { email: given.org.email, role: 'member' } }),
    429: async ({ api }) => {
      const org = await newOrganization(api)
      const token = await mailedToken(inject('urls').mail, org.email, 'Confirm your e-mail address')
      await succeed(api.call('verifyEmail', { body: { token } }))
      const invitation = {
        ...ownOrg({ org } as Given),
        token: org.admin,
        body: { email: newEmail(), role: 'member' },
      }
      for (let times = 0; times < 3; times += 1) await api.call('createInvitation', invitation)
      return invitation
    },
  },
  revokeInvitation: {
    204: async (given) => ({ params: { org_id: given.org.id, invitation_id: (await invite(given)).id } }),
  },
  describeInvitation: {
    200: async (given) => ({ body: { token: (await invite(given)).token } }),
    404: () => ({ body: { token: 'unknown' } }),
    429: (given) => repeatedly(given, 'describeInvitation', () => ({ body: { token: 'unknown' } })),
  },
  joinOrg: {
    200: async (given) => {
      const { org, token } = await invitedStranger(given)
      return { body: { token }, token: org.admin }
    },
    404: () => ({ body: { token: 'unknown' } }),
    409: async (given) => ({ body: { token: (await invite(given)).token } }),
    429: (given) =>
      repeatedly(given, 'joinOrg', () => ({ body: { token: 'unknown' }, token: given.org.admin })),
  },
  acceptInvitation: {
    200: async (given) => ({
      body: { token: (await invite(given)).token, name: 'Bob', password: PASSWORD },
    }),
    401: () => ({ body: { token: 'unknown' }, headers: fromNewAddress() }),
    409: 'an open invitation never names a member: only two simultaneous acceptances conflict',
    429: (given) => repeatedly(given, 'acceptInvitation', () => ({ body: { token: 'unknown' } })),
  },
}
