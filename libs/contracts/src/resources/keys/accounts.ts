import { z } from 'zod'
import { MERGE_PATCH_MEDIA_TYPE } from '../../rules/echo.ts'
import { Id } from '../../rules/ids.ts'
import { WireInstant } from '../../rules/instant.ts'
import { CurrentUserView, RoleShown } from './members.ts'
import { dataOf, pathId } from '../../rules/query.ts'
import { JSON_MEDIA_TYPE, type Route } from '../../route.ts'
import { Name, text } from '../../rules/text.ts'
import { Password } from './tokens.ts'

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

const OrgRenamed = z
  .object({ id: Id, name: z.string(), created_at: WireInstant })
  .meta({ id: 'RenamedOrganization' })

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
    summary: 'Update the name of the signed-in user',
    mediaTypes: PATCH_MEDIA_TYPES,
    body: z.strictObject({ name: Name }),
    success: { status: 200, schema: dataOf(CurrentUserView) },
    errors: ['validation_error', 'bad_request'],
  },
  updateOrg: {
    ...consoleRow,
    method: 'PATCH',
    path: '/orgs/{org_id}',
    access: 'admin',
    summary: 'Update the name of the organization',
    mediaTypes: PATCH_MEDIA_TYPES,
    params: z.strictObject({ org_id: pathId }),
    body: z.strictObject({ name: Name }),
    success: { status: 200, schema: dataOf(OrgRenamed) },
    errors: ['validation_error', 'bad_request'],
  },
  createResetLink: {
    ...consoleRow,
    method: 'POST',
    path: '/orgs/{org_id}/members/{user_id}/reset-link',
    access: 'admin',
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
    errors: ['validation_error', 'bad_request', 'unauthorized', 'rate_limited'],
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
    summary: 'Accept an invitation as the signed-in user',
    description: 'Joins the organization. The session stays in its own; `switchOrg` goes to the other one.',
    body: z.strictObject({ token: Token }),
    success: { status: 200, schema: dataOf(CurrentUserView) },
    errors: ['validation_error', 'bad_request', 'not_found', 'conflict', 'rate_limited'],
  },
} as const satisfies Record<string, Route>
