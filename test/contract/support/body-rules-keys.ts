import { scopes } from '@whereabouts/contracts/route'
import { eventTypes } from '@whereabouts/contracts/resources/webhooks/events'
import type { OperationId } from '@whereabouts/contracts/routes'
import { choice, flag, formed, id, instant, integer, naturalKey, objectOf, text, valuesOf, type BodyRules } from './field-rules.ts' // oxfmt-ignore

const name = text(255, { trimmed: true, plain: true })
const email = formed(
  text(254, { min: 3 }),
  'must be an e-mail address',
  'ada',
  'ada@',
  '@example.com',
  'a b@c',
)
const token = text(255)
const code = text(64)
const newPassword = formed(
  text(128, { min: 10, lines: true }),
  'is one of the most common passwords; choose another one',
  '1234567890',
)
const zone = formed(text(64), 'must be a time zone such as Europe/Berlin', 'Mars', '+08:00')
const days = integer(7, 36_500, { nullable: true })
const role = choice('admin', 'member', 'viewer')
const EMAIL = 'ada@example.com'
const PASSWORD = 'correct horse battery'

const creatingKey: BodyRules = {
  good: { name: 'ERP', scopes: ['assets:read'] },
  required: ['name', 'scopes'],
  fields: {
    name,
    scopes: valuesOf(choice(...scopes), () => 'assets:read', { min: 1, max: 32 }),
    expires_at: instant({ nullable: true }),
    reader_key: naturalKey({ nullable: true, max: 64 }),
  },
}
const ofName: BodyRules = { good: { name: 'Acme' }, required: ['name'], fields: { name } }
const ofToken: BodyRules = { good: { token: 'x' }, required: ['token'], fields: { token } }
const types = ['asset.moved', 'asset.created', 'asset.updated', 'asset.deleted', 'location.created', 'location.updated', 'location.deleted', 'tag.attached', 'tag.detached', 'reader.silent', 'reader.online', 'alert.raised', 'alert.resolved', 'import.finished'] // oxfmt-ignore
const assetTypes = ['asset', 'person', 'inventory']
const filter = {
  asset_types: valuesOf(choice(...assetTypes), (index) => assetTypes[index % 3], { max: 3 }),
  location_ids: valuesOf(id, (index) => index + 1, { max: 100 }),
  include_descendants: flag,
}
const webhook = {
  url: text(2048),
  enabled: flag,
  event_types: valuesOf(choice(...types), (index) => types[index % types.length], {
    min: 1,
    max: types.length,
  }),
  retry: choice('standard', 'extended'),
  filter: objectOf(filter, {}, { nullable: true }),
}
const creatingWebhook: BodyRules = {
  good: { url: 'https://receiver.example' },
  required: ['url'],
  fields: webhook,
}
const replay: BodyRules = {
  good: { from: '2026-11-21T10:00:00Z' },
  required: ['from'],
  fields: {
    from: instant(),
    to: instant(),
    event_types: valuesOf(choice(...eventTypes), () => 'asset.moved', { min: 1, max: 50 }),
  },
}

/** The contract's rule for every field of every body of keys and webhook-dispatcher. */
export const keysBodyRules = {
  signUp: {
    good: { org_name: 'Acme', name: 'Ada', email: EMAIL, password: PASSWORD },
    required: ['org_name', 'name', 'email', 'password'],
    fields: { org_name: name, name, email, password: newPassword },
  },
  logIn: {
    good: { email: EMAIL, password: PASSWORD },
    required: ['email', 'password'],
    fields: { email: text(254), password: text(255, { lines: true }), code, org_id: id },
  },
  refreshSession: {
    good: { refresh_token: 'x' },
    required: ['refresh_token'],
    fields: { refresh_token: token, org_id: id },
  },
  logOut: { good: { refresh_token: 'x' }, required: ['refresh_token'], fields: { refresh_token: token } },
  changePassword: {
    good: { current_password: PASSWORD, new_password: 'another horse battery' },
    required: ['current_password', 'new_password'],
    fields: { current_password: text(255, { lines: true }), new_password: newPassword },
  },
  switchOrg: {
    good: { org_id: 1, refresh_token: 'x' },
    required: ['org_id', 'refresh_token'],
    fields: { org_id: id, refresh_token: token },
  },
  updateMember: { good: { role: 'member' }, required: ['role'], fields: { role } },
  createInvitation: {
    good: { email: EMAIL, role: 'member' },
    required: ['email', 'role'],
    fields: { email, role },
  },
  acceptInvitation: {
    good: { token: 'x' },
    required: ['token'],
    fields: { token, name, password: text(255, { min: 10, lines: true }), code },
  },
  updateCurrentUser: ofName,
  updateOrg: {
    good: {},
    required: [],
    fields: {
      name,
      timezone: zone,
      retention_days: objectOf({ asset: days, person: days, inventory: days }, {}),
    },
  },
  deleteOrg: { good: { name: 'not its name' }, required: ['name'], fields: { name: text(255) } },
  resetPassword: {
    good: { token: 'x', password: PASSWORD },
    required: ['token', 'password'],
    fields: { token, password: newPassword },
  },
  forgotPassword: { good: { email: EMAIL }, required: ['email'], fields: { email } },
  verifyEmail: ofToken,
  openSignOnSession: { good: { code: 'x' }, required: ['code'], fields: { code: token } },
  confirmEmail: ofToken,
  changeEmail: {
    good: { email: EMAIL, password: PASSWORD },
    required: ['email', 'password'],
    fields: { email, password: text(255, { lines: true }) },
  },
  confirmTotp: { good: { code: '000000' }, required: ['code'], fields: { code } },
  deleteTotp: {
    good: { password: PASSWORD, code: '000000' },
    required: ['password', 'code'],
    fields: { password: text(255, { lines: true }), code },
  },
  describeInvitation: ofToken,
  joinOrg: ofToken,
  provisionReader: ofToken,
  createProvisioningLink: {
    good: { reader_key: 'dock-1', format: 'canonical' },
    required: ['reader_key', 'format'],
    fields: {
      reader_key: naturalKey({ max: 64 }),
      format: choice('canonical', 'impinj', 'zebra', 'csl', 'moko', 'minew', 'gl-s10', 'kkm', 'mapping'),
    },
  },
  createApiKey: creatingKey,
  createLegacyApiKey: creatingKey,
  createWebhook: creatingWebhook,
  createWebhookEndpoint: creatingWebhook,
  replayWebhook: replay,
  replayEndpoint: replay,
  updateWebhook: { good: {}, required: [], fields: webhook },
  updateWebhookEndpoint: { good: {}, required: [], fields: webhook },
} as const satisfies Partial<Record<OperationId, BodyRules>>
