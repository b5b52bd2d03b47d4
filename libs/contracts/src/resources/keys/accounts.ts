import { z } from 'zod'
import { MERGE_PATCH_MEDIA_TYPE } from '../../rules/echo.ts'
import { assetTypes, type AssetType } from '../catalog/assets.ts'
import { Id } from '../../rules/ids.ts'
import { WireInstant } from '../../rules/instant.ts'
import { CurrentUserView, RoleShown } from './members.ts'
import { dataOf, pathId } from '../../rules/query.ts'
import { JSON_MEDIA_TYPE, type Route } from '../../route.ts'
import { Name, text } from '../../rules/text.ts'
import { ZoneName } from '../../rules/time-zone.ts'
import { Email, ExistingPassword, MailOutcome, Password } from './tokens.ts'

/**
 * What an invitation says to the person who has its token. Not whether the address is registered: who invites has the
 * token too.
 */
const InvitationDescription = z
  .object({
    org: z.object({ id: Id, name: z.string() }),
    email: z.string(),
    role: RoleShown,
    invited_by: z.string(),
    expires_at: WireInstant,
  })
  .meta({ id: 'InvitationDescription' })
export type InvitationDescription = z.infer<typeof InvitationDescription>

/** Only this reply has the token. */
const ResetLink = z.object({ token: z.string(), expires_at: WireInstant }).meta({ id: 'ResetLink' })

const MailSent = z.object({ mail: MailOutcome }).meta({ id: 'MailSent' })

/** Days of history that are kept of assets of each type (D22.2). Null: as long as the installation keeps it. */
const RetentionDays = z
  .object(ofEachType(z.int().nullable()))
  .meta({ id: 'RetentionDays', example: { asset: null, person: 30, inventory: null } })

const Organization = z
  .object({
    id: Id,
    name: z.string(),
    created_at: WireInstant,
    timezone: z.string().meta({ example: 'Europe/Berlin' }),
    retention_days: RetentionDays,
  })
  .meta({ id: 'Organization' })

/** `timezone` and `retention_days` only if the request has them. */
const OrgUpdated = Organization.partial({ timezone: true, retention_days: true }).meta({
  id: 'UpdatedOrganization',
})

export const LEAST_RETENTION_DAYS = 7
/** An installation may keep less, and then refuses more than that. */
const MOST_RETENTION_DAYS = 36_500

/** A merge patch: what is absent stays. */
const RetentionUpdate = z
  .strictObject(ofEachType(z.int().min(LEAST_RETENTION_DAYS).max(MOST_RETENTION_DAYS).nullable().optional()))
  .meta({ id: 'RetentionUpdate', example: { person: 30 } })
export type RetentionUpdate = z.infer<typeof RetentionUpdate>

function ofEachType<S>(schema: S) {
  return Object.fromEntries(assetTypes.map((type) => [type, schema])) as Record<AssetType, S>
}

const Token = text(1, 255)

const consoleRow = { upstream: 'keys', counted: false, described: false } as const
/** The typed client sends the second with each PATCH. */
const PATCH_MEDIA_TYPES = [JSON_MEDIA_TYPE, MERGE_PATCH_MEDIA_TYPE] as const

/** What people change about their account and their organization, and how they get in. */
export const accountRoutes = {
  updateCurrentUser: {
    ...consoleRow,
    method: 'PATCH',
    path: '/users/me',
    access: 'session',
    role: 'viewer',
    summary: 'Update the name of the signed-in user',
    mediaTypes: PATCH_MEDIA_TYPES,
    body: z.strictObject({ name: Name }),
    success: { status: 200, schema: dataOf(CurrentUserView) },
    errors: ['validation_error', 'bad_request'],
  },
  getOrg: {
    ...consoleRow,
    method: 'GET',
    path: '/orgs/{org_id}',
    access: 'session',
    summary: 'Retrieve the organization, its time zone and how long it keeps history',
    params: z.strictObject({ org_id: pathId }),
    success: { status: 200, schema: dataOf(Organization) },
    errors: ['validation_error'],
  },
  updateOrg: {
    ...consoleRow,
    method: 'PATCH',
    path: '/orgs/{org_id}',
    access: 'session',
    role: 'admin',
    summary: 'Update the name or time zone of the organization, or how long it keeps history',
    description:
      'Days of history are whole days of UTC, for each type of asset, at most as many as the installation keeps. Older history is deleted ' +
      'within an hour, for good.',
    mediaTypes: PATCH_MEDIA_TYPES,
    params: z.strictObject({ org_id: pathId }),
    body: z.strictObject({
      name: Name.optional(),
      timezone: ZoneName.optional(),
      retention_days: RetentionUpdate.optional(),
    }),
    success: { status: 200, schema: dataOf(OrgUpdated) },
    errors: ['validation_error', 'bad_request', 'service_unavailable'],
  },
  deleteOrg: {
    ...consoleRow,
    method: 'DELETE',
    path: '/orgs/{org_id}',
    access: 'session',
    role: 'admin',
    summary: 'Delete the organization',
    description:
      'Name it exactly. From then on its tokens are refused, its readers disconnected and its webhooks not called. All that it ' +
      'stored is erased within 24 hours, for good. Accounts of people stay.',
    params: z.strictObject({ org_id: pathId }),
    body: z.strictObject({ name: text(1, 255) }),
    success: { status: 202 },
    errors: ['validation_error', 'bad_request'],
  },
  exportOrg: {
    ...consoleRow,
    method: 'GET',
    path: '/orgs/{org_id}/export',
    access: 'session',
    role: 'admin',
    summary: 'Export everything that the organization has stored',
    description:
      'Returns a ZIP of NDJSON files, made while it is sent. A connection that breaks off leaves a file that no program opens. An ' +
      'organization has one export at a time.',
    params: z.strictObject({ org_id: pathId }),
    success: { status: 200, download: 'application/zip' },
    errors: ['validation_error', 'rate_limited'],
  },
  createResetLink: {
    ...consoleRow,
    method: 'POST',
    path: '/orgs/{org_id}/members/{user_id}/reset-link',
    access: 'session',
    role: 'admin',
    summary: 'Create a link with which a member chooses a new password',
    description:
      'Returns the token of the link, which is shown only once, works once and expires after an hour. Refused for a ' +
      'person who belongs to other organizations too.',
    params: z.strictObject({ org_id: pathId, user_id: pathId }),
    success: { status: 201, schema: dataOf(ResetLink) },
    errors: ['validation_error', 'not_found', 'conflict'],
  },
  resetPassword: {
    ...consoleRow,
    method: 'POST',
    path: '/auth/password/reset',
    access: 'none',
    summary: 'Choose a new password with the token of a reset link',
    description: 'Ends all sessions of the user. A refused password does not spend the token.',
    body: z.strictObject({ token: Token, password: Password }),
    success: { status: 204 },
    errors: ['validation_error', 'bad_request', 'unauthorized', 'forbidden', 'rate_limited'],
  },
  forgotPassword: {
    ...consoleRow,
    method: 'POST',
    path: '/auth/password/forgot',
    access: 'none',
    summary: 'Send a reset link to an e-mail address',
    description: 'The answer is the same for every address. The link works once and expires after an hour.',
    body: z.strictObject({ email: Email }),
    success: { status: 202 },
    errors: ['validation_error', 'bad_request', 'forbidden', 'rate_limited'],
  },
  sendVerification: {
    ...consoleRow,
    method: 'POST',
    path: '/users/me/verification',
    access: 'session',
    role: 'viewer',
    summary: 'Send a link that confirms the e-mail address of the user',
    success: { status: 202, schema: dataOf(MailSent) },
    errors: ['rate_limited'],
  },
  verifyEmail: {
    ...consoleRow,
    method: 'POST',
    path: '/auth/verify',
    access: 'none',
    summary: 'Confirm an e-mail address with the token of a mail',
    body: z.strictObject({ token: Token }),
    success: { status: 204 },
    errors: ['validation_error', 'bad_request', 'unauthorized', 'rate_limited'],
  },
  changeEmail: {
    ...consoleRow,
    method: 'POST',
    path: '/users/me/email',
    access: 'session',
    role: 'viewer',
    summary: 'Send a link to a new e-mail address of the user',
    description: 'The address changes when the link is used. The answer does not tell whether it is taken.',
    body: z.strictObject({ email: Email, password: ExistingPassword }),
    success: { status: 202, schema: dataOf(MailSent) },
    errors: ['validation_error', 'bad_request', 'rate_limited'],
  },
  confirmEmail: {
    ...consoleRow,
    method: 'POST',
    path: '/auth/email/confirm',
    access: 'none',
    summary: 'Change an e-mail address with the token of a mail',
    description: 'The address before gets a notice.',
    body: z.strictObject({ token: Token }),
    success: { status: 204 },
    errors: ['validation_error', 'bad_request', 'unauthorized', 'conflict', 'rate_limited'],
  },
  describeInvitation: {
    ...consoleRow,
    method: 'POST', // with the token in the body, because addresses are logged
    path: '/auth/describe-invitation',
    access: 'none',
    summary: 'Retrieve what an invitation says, with its token',
    body: z.strictObject({ token: Token }),
    success: { status: 200, schema: dataOf(InvitationDescription) },
    errors: ['validation_error', 'bad_request', 'not_found', 'rate_limited'],
  },
  joinOrg: {
    ...consoleRow,
    method: 'POST',
    path: '/auth/join',
    access: 'session',
    role: 'viewer',
    summary: 'Accept an invitation as the signed-in user',
    description: 'Joins the organization. The session stays in its own; `switchOrg` goes to the other one.',
    body: z.strictObject({ token: Token }),
    success: { status: 200, schema: dataOf(CurrentUserView) },
    errors: ['validation_error', 'bad_request', 'not_found', 'conflict', 'rate_limited'],
  },
} as const satisfies Record<string, Route>
