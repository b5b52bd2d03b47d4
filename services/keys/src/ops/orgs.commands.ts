import { randomBytes } from 'node:crypto'
import { passwordProblem, tokenRoutes } from '@whereabouts/contracts/resources/keys/tokens'
import { AppError } from '@whereabouts/service-kit/errors/app-error'
import { fieldEntries } from '@whereabouts/service-kit/errors/field-entries'
import type { Db, OrgRow, Tx } from '../db.ts'
import { findOrg, lockOrg, updateSubscription } from '../organizations/orgs/orgs.queries.ts'
import { auditOrg, enqueueOrgState } from '../organizations/orgs/orgs.state.ts'
import { createPasswords } from '../people/users/passwords.ts'
import { register } from '../people/users/registration.ts'
import { findUserByEmail } from '../people/users/users.queries.ts'
import { OpsError, orgMissing } from './failures.ts'
import { countOrgs, listMembershipsOfEmail, listOrgs } from './ops.queries.ts'
import { pageNote, printable, table, type Report } from './report.ts'

/** The flags of the fields of a sign-up. */
const FLAGS: Record<string, string> = {
  org_name: '--name',
  email: '--admin-email',
  name: '--admin-name',
  password: 'the password on standard input',
}

type NewOrg = { name: string; adminEmail: string; adminName: string; password: string | undefined }

/** Follows the rules of signing up. A generated password is in the report only. */
export async function createOrg(db: Db, given: NewOrg): Promise<Report> {
  const generated = given.password === undefined ? randomBytes(18).toString('base64url') : undefined
  const { org_name, name, email, password } = signUpBody({
    org_name: given.name,
    name: given.adminName,
    email: given.adminEmail,
    password: given.password ?? generated,
  })
  if (passwordProblem('password', password, email))
    throw new OpsError('usage', `${FLAGS['password'] ?? 'password'} must not be the e-mail address`)
  if (await findUserByEmail(db, email)) throw await alreadyRegistered(db, email)
  const hash = await createPasswords((_source, work) => work()).hash('operator', password)
  const { org, id } = await db
    .transaction()
    .execute(async (tx) => {
      const member = await register(tx, org_name, { name, email, ...hash })
      return { org: await getOrg(tx, member.org_id), id: member.id }
    })
    .catch(async (error: unknown) => {
      // Somebody has signed up with the address a moment ago.
      throw error instanceof AppError && error.type === 'conflict'
        ? await alreadyRegistered(db, email)
        : error
    })
  return createdReport(org, { id, name, email }, generated)
}

/** Throws the usage error that names every flag to fix. */
function signUpBody(body: Record<string, unknown>) {
  const parsed = tokenRoutes.signUp.body.safeParse(body, { reportInput: true })
  if (parsed.success) return parsed.data
  const problems = fieldEntries(parsed.error.issues, 'body').map(({ field, message }) =>
    message.replace(field, FLAGS[field] ?? field),
  )
  throw new OpsError('usage', problems.join('\n'))
}

async function alreadyRegistered(db: Db, email: string): Promise<OpsError> {
  const memberships = await listMembershipsOfEmail(db, email)
  const places = memberships.map(
    ({ org_id, org_name, role }) => `${role} of organization ${org_id} "${printable(org_name)}"`,
  )
  const what = places.length > 0 ? places.join(', ') : 'a user without an organization'
  return new OpsError('conflict', `${email} is already registered: ${what}. Nothing was created.`, {
    memberships,
  })
}

async function getOrg(tx: Tx, orgId: number): Promise<OrgRow> {
  const org = await findOrg(tx, orgId)
  if (!org) throw orgMissing(orgId)
  return org
}

type Admin = { id: number; name: string; email: string }

function createdReport(org: OrgRow, admin: Admin, password: string | undefined): Report {
  const lines = [
    `Organization ${org.id} "${printable(org.name)}" created.`,
    `Administrator  ${printable(admin.name)} <${printable(admin.email)}>`,
    ...(password === undefined ? [] : [`Password       ${password}   (shown this once)`]),
  ]
  return { json: { org: toOrg(org), admin, password: password ?? null }, text: lines.join('\n') }
}

export async function listOrganizations(
  db: Db,
  page: { q: string | undefined; limit: number; offset: number },
): Promise<Report> {
  const [data, total_count] = await Promise.all([listOrgs(db, page), countOrgs(db, page.q)])
  const json = { data, limit: page.limit, offset: page.offset, total_count }
  const rows = data.map((org) => [
    String(org.id),
    org.name,
    org.subscription_ends_at ?? 'never',
    org.created_at,
    org.admins.join(', '),
  ])
  const heading = ['ID', 'NAME', 'SUBSCRIPTION ENDS', 'CREATED', 'ADMINISTRATORS']
  return { json, text: table([heading, ...rows]) + pageNote(json, data.length) }
}

/** `endsAt` null: never. Deliveries stop or continue when webhook-dispatcher has received it. */
export async function setSubscription(db: Db, orgId: number, endsAt: string | null): Promise<Report> {
  const { org, changed } = await db.transaction().execute(async (tx) => {
    const stored = await lockOrg(tx, orgId)
    if (!stored) throw orgMissing(orgId)
    const updated = await updateSubscription(tx, orgId, endsAt)
    if (updated) {
      await enqueueOrgState(tx, updated)
      await auditOrg(tx, stored, updated)
    }
    return { org: updated ?? stored, changed: updated !== undefined }
  })
  return { json: { org: toOrg(org), changed }, text: subscriptionText(org, changed) }
}

function subscriptionText({ id, name, subscription_ends_at }: OrgRow, changed: boolean): string {
  const end = subscription_ends_at === null ? 'never ends' : `ends at ${subscription_ends_at}`
  return `The subscription of organization ${id} "${printable(name)}" ${end}${changed ? '.' : ' already.'}`
}

const toOrg = ({ id, name, created_at, subscription_ends_at }: OrgRow) => ({
  id,
  name,
  created_at,
  subscription_ends_at,
})
