import { rootTrace, withTrace } from '@whereabouts/service-kit/observe/trace'
import type { Db } from '../db.ts'
import type { Request } from './arguments/request.ts'
import { listApiKeys, revokeApiKey, setKeyLimit, setMessageRate } from './keys.commands.ts'
import { createOrg, listOrganizations, setSubscription } from './orgs.commands.ts'
import { deleteOrg, setTimeZone } from './org-end.commands.ts'
import type { UsageElsewhere } from '../limits/usage.queries.ts'
import { setLimit, showUsage } from './limits.commands.ts'
import { findOrgId } from './org-reference.ts'
import type { Report } from './report.ts'
import { addAdmin } from './admins.commands.ts'
import { createResetLink, switchSecondFactorOff, linkSignOn, unlinkSignOn } from './users.commands.ts'
import { listAllSigningKeys, rotateSigningKeys } from './signing-keys.commands.ts'
import { reportReload } from './broker.commands.ts'
import type { ReloadedServer } from '@whereabouts/messaging/connect/ask-servers'
import { setTimeout as delay } from 'node:timers/promises'

export type OpsDeps = {
  db: Db
  /** The service's secret; only `signing-keys rotate` needs it. */
  signingKeySecret: () => Buffer
  /** Standard input without its last line end. */
  readPassword: () => Promise<string>
  print: (text: string) => void
  /** Asks the running services. */
  usageElsewhere: UsageElsewhere
  /** Makes the brokers read their configuration again. */
  reloadBrokers: () => Promise<ReloadedServer[]>
  /** Where people open the console, if the environment says so. */
  publicUrl: string | undefined
  /** OIDC_ISSUER. */
  issuer: string | undefined
  /** How long to wait for the running service to publish a change. */
  publishTimeoutMs: number
}

/** Commands whose changes the running service publishes. */
const ANNOUNCED: ReadonlySet<Request['command']> = new Set([
  'org create',
  'org add-admin',
  'org delete',
  'org timezone',
  'org subscription',
  'org limit',
  'key limit',
  'key message-rate',
  'key revoke',
])

/** In the audit. */
const OPERATOR = { ip: null, actor: { type: 'operator', id: null } } as const

const UNPUBLISHED =
  'The change is saved, but not published: no keys service is running, or it cannot reach the broker. ' +
  'It will be published when one does.'

/**
 * Performs the request and prints the result. Throws `OpsError` and errors of the database; then it has printed
 * nothing.
 */
export async function perform(request: Request, deps: OpsDeps): Promise<void> {
  const { json, text } = await withTrace({ ...rootTrace(), caller: OPERATOR }, () => carryOut(request, deps))
  // Before the wait for publishing: an operator who aborts must not lose a generated password.
  if (!request.json) deps.print(text)
  const tail = ANNOUNCED.has(request.command) ? { published: await isPublished(deps) } : {}
  if (request.json) deps.print(JSON.stringify({ ...json, ...tail }, null, 2))
  else if (tail.published === false) deps.print(UNPUBLISHED)
}

/** The change is committed, so a failure here is not a failure of the command. */
const isPublished = ({ db, publishTimeoutMs }: OpsDeps): Promise<boolean> =>
  untilPublished(db, publishTimeoutMs).catch(() => false)

async function carryOut(request: Request, deps: OpsDeps): Promise<Report> {
  const { db } = deps
  switch (request.command) {
    case 'org create': {
      const password = request.passwordStdin ? await deps.readPassword() : undefined
      return createOrg(db, { ...request, password })
    }
    case 'org add-admin': {
      const consoleUrl = request.consoleUrl ?? deps.publicUrl
      return addAdmin(db, await findOrgId(db, request.org), { email: request.email, consoleUrl })
    }
    case 'org list':
      return listOrganizations(db, request)
    case 'org limit':
      return setLimit(db, await findOrgId(db, request.org), request.name, request.value)
    case 'org usage': {
      const { org, limit, offset } = request
      const which = org === undefined ? { limit, offset } : { org: await findOrgId(db, org) }
      return showUsage(db, deps.usageElsewhere, which)
    }
    case 'org subscription':
      return setSubscription(db, await findOrgId(db, request.org), request.endsAt)
    case 'org delete':
      return deleteOrg(db, await findOrgId(db, request.org), request.yes)
    case 'org timezone':
      return setTimeZone(db, await findOrgId(db, request.org), request.timezone)
    case 'user reset-link':
      return createResetLink(db, { ...request, consoleUrl: request.consoleUrl ?? deps.publicUrl })
    case 'user codes-off':
      return switchSecondFactorOff(db, request.email)
    case 'user sign-on-link': {
      const { email, subject, issuer = deps.issuer } = request
      return linkSignOn(db, { email, subject, issuer })
    }
    case 'user sign-on-unlink':
      return unlinkSignOn(db, request.email)
    case 'key list':
      return listApiKeys(db, { ...request, orgId: await findOrgId(db, request.org) })
    case 'key limit':
      return setKeyLimit(db, request.key, request.perMinute)
    case 'key message-rate':
      return setMessageRate(db, request.key, request.perSecond)
    case 'key revoke':
      return revokeApiKey(db, request.key)
    case 'broker reload':
      return reportReload(await deps.reloadBrokers())
    case 'signing-keys list':
      return listAllSigningKeys(db)
    case 'signing-keys rotate':
      return rotateSigningKeys(db, deps.signingKeySecret())
    default:
      return request satisfies never
  }
}

const LOOK_EVERY_MS = 50

/**
 * Waits until the running service has published all that is committed now. False after `timeoutMs`: then it is
 * published as soon as a running service reaches the broker.
 */
async function untilPublished(db: Db, timeoutMs: number): Promise<boolean> {
  const last = await newestOutboxRow(db)
  if (last === null) return true
  for (const until = Date.now() + timeoutMs; Date.now() < until; await delay(LOOK_EVERY_MS)) {
    const left = await db.selectFrom('outbox').select('id').where('id', '<=', last).limit(1).execute()
    if (left.length === 0) return true
  }
  return false
}

async function newestOutboxRow(db: Db): Promise<number | null> {
  const { id } = await db
    .selectFrom('outbox')
    .select((eb) => eb.fn.max<number | null>('id').as('id'))
    .executeTakeFirstOrThrow()
  return id
}
