import { z } from 'zod'
import { MERGE_PATCH_MEDIA_TYPE } from '../../rules/echo.ts'
import { Id, Uuid } from '../../rules/ids.ts'
import { WireInstant } from '../../rules/instant.ts'
import { roles } from '../../principal.ts'
import { dataOf, listOf, page, pathId } from '../../rules/query.ts'
import { JSON_MEDIA_TYPE, type Route } from '../../route.ts'
import { Name, text } from '../../rules/text.ts'
import { Email, ExistingPassword, MailOutcome, OneTimeCode, Password, Session } from './tokens.ts'

export const RoleShown = z.string().meta({ example: 'admin' })

/**
 * The caller and all organizations that they may switch to, oldest membership first. `org_id` is that of the session.
 */
export const CurrentUserView = z
  .object({
    id: Id,
    name: z.string(),
    email: z.string(),
    email_verified: z.boolean(),
    second_factor: z.boolean(),
    org_id: Id,
    orgs: z.array(z.object({ id: Id, name: z.string(), role: RoleShown, created_at: WireInstant })),
  })
  .meta({ id: 'CurrentUser' })

/** `id` is that of the user. `joined_at` is the start of the membership. */
export const MemberView = z
  .object({ id: Id, name: z.string(), email: z.string(), role: RoleShown, joined_at: WireInstant })
  .meta({ id: 'Member' })
export type MemberView = z.infer<typeof MemberView>

/**
 * `last_signed_in_at` is null if it is more than 30 days ago, or if the caller is not an administrator. For viewers, `email` of
 * others is null (D15.3).
 */
export const ListedMember = MemberView.extend({
  email: z.string().nullable(),
  last_signed_in_at: WireInstant.nullable(),
}).meta({ id: 'ListedMember' })
export type ListedMember = z.infer<typeof ListedMember>

export const InvitationView = z
  .object({
    id: Id,
    email: z.string(),
    role: RoleShown,
    created_at: WireInstant,
    created_by: Id.nullable().meta({ description: 'Null if the operator of the server invites.' }),
    created_by_name: z.string(),
    expires_at: WireInstant,
    mail_failed: z.boolean(),
  })
  .meta({ id: 'Invitation' })
export type InvitationView = z.infer<typeof InvitationView>

/** Only this reply has the token. `mail`: an administrator whose own address is not verified sends none. */
export const InvitationCreated = InvitationView.extend({ token: z.string(), mail: MailOutcome }).meta({
  id: 'InvitationCreated',
})

/**
 * A session; `current` marks that of the caller. It has the times of its last refresh and of its end without another
 * one.
 */
export const SessionView = z
  .object({
    id: Uuid,
    org: z.object({ id: Id, name: z.string() }),
    created_at: WireInstant,
    last_used_at: WireInstant,
    expires_at: WireInstant,
    current: z.boolean(),
  })
  .meta({ id: 'SignedIn' })
export type SessionView = z.infer<typeof SessionView>

/** A new password, or that of the user to whom the address belongs. */
const JoiningPassword = text(10, 255, { control: 'lines' })

const OrgPath = z.strictObject({ org_id: pathId })
const MemberPath = z.strictObject({ org_id: pathId, user_id: pathId })

const consoleRow = { upstream: 'keys', counted: false, described: false } as const

export const memberRoutes = {
  getCurrentUser: {
    ...consoleRow,
    method: 'GET',
    path: '/users/me',
    access: 'session',
    summary: 'Retrieve the signed-in user and their organizations',
    success: { status: 200, schema: dataOf(CurrentUserView) },
    errors: [],
  },
  changePassword: {
    ...consoleRow,
    method: 'POST',
    path: '/users/me/password',
    access: 'session',
    role: 'viewer',
    summary: 'Change the password of the user',
    description: 'Ends all other sessions of the user.',
    body: z.strictObject({ current_password: ExistingPassword, new_password: Password }),
    success: { status: 204 },
    errors: ['validation_error', 'bad_request', 'rate_limited'],
  },
  listSessions: {
    ...consoleRow,
    method: 'GET',
    path: '/users/me/sessions',
    access: 'session',
    summary: 'List the sessions of the user',
    description: 'Returns sessions in all organizations, most recently used first.',
    query: z.strictObject(page),
    success: { status: 200, schema: listOf(SessionView) },
    errors: ['validation_error'],
  },
  endSession: {
    ...consoleRow,
    method: 'DELETE',
    path: '/users/me/sessions/{session_id}',
    access: 'session',
    role: 'viewer',
    summary: 'End a session of the user',
    params: z.strictObject({ session_id: Uuid }),
    success: { status: 204 },
    errors: ['validation_error', 'not_found'],
  },
  switchOrg: {
    ...consoleRow,
    method: 'POST',
    path: '/auth/switch',
    access: 'session',
    role: 'viewer',
    summary: 'Switch to another organization of the user',
    description: 'Ends this session and opens one in the other organization.',
    body: z.strictObject({ org_id: Id, refresh_token: text(1, 255) }),
    success: { status: 200, schema: dataOf(Session) },
    errors: ['validation_error', 'bad_request', 'not_found'],
  },
  listMembers: {
    ...consoleRow,
    method: 'GET',
    path: '/orgs/{org_id}/members',
    access: 'session',
    summary: 'List the members of the organization',
    description: 'Returns members in the order in which they joined.',
    params: OrgPath,
    query: z.strictObject(page),
    success: { status: 200, schema: listOf(ListedMember) },
    errors: ['validation_error'],
  },
  updateMember: {
    ...consoleRow,
    method: 'PATCH',
    path: '/orgs/{org_id}/members/{user_id}',
    access: 'session',
    role: 'admin',
    summary: 'Update the role of a member',
    mediaTypes: [JSON_MEDIA_TYPE, MERGE_PATCH_MEDIA_TYPE], // the typed client sends the second with each PATCH
    params: MemberPath,
    body: z.strictObject({ role: z.enum(roles) }),
    success: { status: 200, schema: dataOf(MemberView) },
    errors: ['validation_error', 'bad_request', 'not_found', 'conflict'],
  },
  removeMember: {
    ...consoleRow,
    method: 'DELETE',
    path: '/orgs/{org_id}/members/{user_id}',
    access: 'session',
    role: 'viewer',
    summary: 'Remove a member or leave the organization',
    params: MemberPath,
    success: { status: 204 },
    errors: ['validation_error', 'not_found', 'conflict'],
  },
  listInvitations: {
    ...consoleRow,
    method: 'GET',
    path: '/orgs/{org_id}/invitations',
    access: 'session',
    role: 'admin',
    summary: 'List pending invitations',
    description: 'Returns invitations that can still be accepted, newest first.',
    params: OrgPath,
    query: z.strictObject(page),
    success: { status: 200, schema: listOf(InvitationView) },
    errors: ['validation_error'],
  },
  createInvitation: {
    ...consoleRow,
    method: 'POST',
    path: '/orgs/{org_id}/invitations',
    access: 'session',
    role: 'admin',
    summary: 'Invite an e-mail address',
    description:
      'Returns the token of the invitation, which is shown only once. The mail has another token, which also proves ' +
      'the mailbox.',
    params: OrgPath,
    body: z.strictObject({ email: Email, role: z.enum(roles) }),
    success: { status: 201, schema: dataOf(InvitationCreated) },
    errors: ['validation_error', 'bad_request', 'conflict', 'rate_limited'],
  },
  revokeInvitation: {
    ...consoleRow,
    method: 'DELETE',
    path: '/orgs/{org_id}/invitations/{invitation_id}',
    access: 'session',
    role: 'admin',
    summary: 'Revoke an invitation',
    params: z.strictObject({ org_id: pathId, invitation_id: pathId }),
    success: { status: 204 },
    errors: ['validation_error', 'not_found'],
  },
  acceptInvitation: {
    ...consoleRow,
    method: 'POST',
    path: '/auth/accept-invitation',
    access: 'none',
    summary: 'Accept an invitation',
    description:
      'Joins the organization with the token of the invitation. A new user sends a name and chooses a password, which the ' +
      'rules for new passwords bind. A registered one sends the password, without a name, and a code if it is needed to sign in.',
    // The handler checks the password after the token, so that made-up tokens count as attempts and get 401.
    body: z.strictObject({
      token: text(1, 255),
      name: Name.optional(),
      password: JoiningPassword.optional(),
      code: OneTimeCode.optional(),
    }),
    success: { status: 200, schema: dataOf(Session) },
    errors: ['validation_error', 'bad_request', 'unauthorized', 'conflict', 'forbidden', 'rate_limited'],
  },
} as const satisfies Record<string, Route>
