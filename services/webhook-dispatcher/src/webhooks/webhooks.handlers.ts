import { audit, changesOf, SECRET } from '@whereabouts/db/outbox/audit'
import type { WebhookView } from '@whereabouts/contracts/resources/webhooks/webhooks'
import { API_PREFIX, type OperationId } from '@whereabouts/contracts/routes'
import type { TenantDatabase } from '@whereabouts/db/tenant/tenant-database'
import { rejectIfAny } from '@whereabouts/service-kit/errors/errors'
import { Reply, type Context, type Handlers } from '@whereabouts/service-kit/http/serve'
import { attemptOf, recordTest } from '../delivery-log/attempt-log.queries.ts'
import type { Db, Tables, Tx } from '../db.ts'
import { tooManyTests, webhookNotFound } from '../errors.ts'
import { maskedSecret, mintSecret, openSecret, openSecrets, sealSecret, type SecretKeys } from './secrets.ts'
import { findReceiver, takeTestEvent } from './test-event.queries.ts'
import { testPayload, type SendTest } from './test-event.ts'
import {
  countWebhooks,
  deleteWebhook,
  findWebhook,
  insertEndpoint,
  insertWebhook,
  listWebhooks,
  lockWebhook,
  rotateSecret,
  updateWebhook,
  type Known,
  type NewWebhook,
  type WebhookRow,
} from './webhooks.queries.ts'
import { settingsOf, urlProblems } from './webhooks.rules.ts'

export type WebhookDeps = {
  db: Pick<TenantDatabase<Tables>, 'forOrg' | 'transaction'>
  secretKeys: SecretKeys
  allowPrivateTargets: boolean
  ports?: readonly number[] | undefined
  sendTest: SendTest
}

export function webhookHandlers(deps: WebhookDeps) {
  const primary = operationsOf(deps, { known: 'primary', path: '/webhooks', insert: insertWebhook })
  const all = operationsOf(deps, { known: 'all', path: '/webhook-endpoints', insert: insertEndpoint })
  return {
    listWebhooks: primary.list,
    createWebhook: primary.create,
    getWebhook: primary.get,
    updateWebhook: primary.update,
    rotateWebhookSecret: primary.rotate,
    deleteWebhook: primary.remove,
    testWebhook: primary.test,
    listWebhookEndpoints: all.list,
    createWebhookEndpoint: all.create,
    getWebhookEndpoint: all.get,
    updateWebhookEndpoint: all.update,
    rotateWebhookEndpointSecret: all.rotate,
    deleteWebhookEndpoint: all.remove,
    testWebhookEndpoint: all.test,
  } satisfies Partial<Handlers<'webhook-dispatcher'>>
}

/** Which webhooks the operations of a path know, and which one they make. */
type Place = {
  known: Known
  path: '/webhooks' | '/webhook-endpoints'
  insert: (tx: Tx, orgId: number, webhook: NewWebhook) => Promise<WebhookRow>
}

type Of<K extends OperationId> = Pick<Context<K>, 'principal' | 'params' | 'query' | 'body'>

/** The same for `/webhooks` and `/webhook-endpoints`. */
function operationsOf(
  { db: tenants, secretKeys, allowPrivateTargets, ports, sendTest }: WebhookDeps,
  { known, path, insert }: Place,
) {
  const newSecret = (orgId: number) => {
    const secret = mintSecret()
    const sealed = { ...sealSecret(secretKeys, orgId, secret), secret_last_four: secret.slice(-4) }
    return { secret, sealed }
  }
  return {
    list: async ({ principal: { orgId }, query }: Of<'listWebhooks'>) => {
      const db = tenants.forOrg(orgId)
      const rows = await listWebhooks(db, orgId, query, known)
      const total_count = await countWebhooks(db, orgId, known)
      return { data: rows.map((row) => toView(row)), ...query, total_count }
    },

    create: async ({ principal: { orgId }, body }: Of<'createWebhook'>) => {
      const { url, enabled = true, ...settings } = body
      rejectIfAny(urlProblems(url, allowPrivateTargets, ports))
      const { secret, sealed } = newSecret(orgId)
      const row = await tenants.transaction(orgId, async (tx) => {
        const inserted = await insert(tx, orgId, { url, enabled, ...settingsOf(settings), ...sealed })
        await auditWebhook(tx, orgId, 'create', undefined, inserted)
        return inserted
      })
      // This and a rotation are the only times that a whole secret leaves the service.
      return new Reply({ data: toView(row, secret) }, { location: `${API_PREFIX}${path}/${row.id}` })
    },

    get: async ({ principal: { orgId }, params }: Of<'getWebhook'>) => {
      return { data: toView(await getWebhook(tenants.forOrg(orgId), orgId, params.webhook_id, known)) }
    },

    update: async ({ principal: { orgId }, params, body }: Of<'updateWebhook'>) => {
      const { url, enabled, ...settings } = body
      if (url !== undefined) rejectIfAny(urlProblems(url, allowPrivateTargets, ports))
      const changes = { url, enabled, ...settingsOf(settings) }
      const row = await tenants.transaction(orgId, async (tx) => {
        const before = await lockWebhook(tx, orgId, params.webhook_id, known)
        const updated = before && (await updateWebhook(tx, orgId, params.webhook_id, changes, known))
        if (!updated) throw webhookNotFound()
        await auditWebhook(tx, orgId, 'update', before, updated)
        return updated
      })
      return { data: toView(row) }
    },

    rotate: async ({ principal: { orgId }, params }: Of<'rotateWebhookSecret'>) => {
      const { secret, sealed } = newSecret(orgId)
      const row = await tenants.transaction(orgId, async (tx) => {
        const rotated = await rotateSecret(tx, orgId, params.webhook_id, sealed, known)
        if (!rotated) throw webhookNotFound()
        const subject = { type: 'webhook', id: rotated.id }
        await audit(tx, orgId, { action: 'webhook.update', subject, changes: { secret: SECRET } })
        return rotated
      })
      return { data: toView(row, secret) }
    },

    remove: async ({ principal: { orgId }, params }: Of<'deleteWebhook'>) => {
      await tenants.transaction(orgId, async (tx) => {
        const before = await lockWebhook(tx, orgId, params.webhook_id, known)
        if (!before || !(await deleteWebhook(tx, orgId, params.webhook_id, known))) throw webhookNotFound()
        await auditWebhook(tx, orgId, 'delete', before, undefined)
      })
      return undefined
    },

    /** Sends the test event even if deliveries are off or the subscription has lapsed. */
    test: async ({ principal: { orgId }, params: { webhook_id } }: Of<'testWebhook'>) => {
      const db = tenants.forOrg(orgId)
      const target = await findReceiver(db, orgId, webhook_id, known)
      if (!target) throw webhookNotFound()
      const waitSeconds = await takeTestEvent(db, orgId)
      if (waitSeconds !== undefined) throw tooManyTests(waitSeconds)
      const payload = testPayload(orgId, Date.now())
      const secrets = openSecrets((stored) => openSecret(secretKeys, orgId, stored), target)
      const attemptedAt = Date.now()
      const result = await sendTest({ url: target.url, secrets }, payload)
      await recordTest(db, orgId, webhook_id, payload, attemptOf(attemptedAt, result))
      return { data: { status_code: result.statusCode ?? null, error: result.error ?? null } }
    },
  }
}

/** Without its URL, which may have a token of the receiver: the host, and whether the rest has changed. */
async function auditWebhook(
  tx: Tx,
  orgId: number,
  verb: string,
  before: WebhookRow | undefined,
  after: WebhookRow | undefined,
): Promise<void> {
  const row = after ?? before
  if (!row) return
  const changes = {
    ...changesOf(before && shown(before), after && shown(after)),
    ...(before?.url !== after?.url && { url: SECRET }),
    ...(verb === 'create' && { secret: SECRET }),
  }
  await audit(tx, orgId, { action: `webhook.${verb}`, subject: { type: 'webhook', id: row.id }, changes })
}

const shown = ({ url, enabled, event_types, retry, filter }: WebhookRow) => ({
  host: new URL(url).host,
  enabled,
  event_types,
  retry,
  filter,
})

async function getWebhook(db: Db, orgId: number, id: number, known: Known): Promise<WebhookRow> {
  const row = await findWebhook(db, orgId, id, known)
  if (!row) throw webhookNotFound()
  return row
}

function toView(row: WebhookRow, secret = maskedSecret(row.secret_last_four)): WebhookView {
  const { id, url, enabled, event_types, retry, filter, is_primary, health, disabled_because } = row
  return {
    id,
    url,
    enabled,
    secret,
    event_types,
    retry,
    filter,
    primary: is_primary,
    health: enabled ? health : 'disabled',
    disabled_because,
    created_at: row.created_at,
    updated_at: row.updated_at,
  }
}
