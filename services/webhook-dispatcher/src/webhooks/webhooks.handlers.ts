import { API_PREFIX } from '@whereabouts/contracts/routes'
import type { WebhookView } from '@whereabouts/contracts/resources/webhooks/webhooks'
import { rejectIfAny } from '@whereabouts/service-kit/errors/errors'
import { Reply, type Handlers } from '@whereabouts/service-kit/http/serve'
import type { TenantDatabase } from '@whereabouts/db/tenant/tenant-database'
import { attemptOf, recordTest } from '../delivery-log/attempt-log.queries.ts'
import type { Db, Tables } from '../db.ts'
import { tooManyTests, webhookNotFound } from '../errors.ts'
import { maskedSecret, mintSecret, openSecret, openSecrets, sealSecret, type SecretKeys } from './secrets.ts'
import { takeTestEvent } from './test-event.queries.ts'
import { testPayload, type SendTest } from './test-event.ts'
import {
  countWebhooks,
  deleteWebhook,
  findTarget,
  findWebhook,
  insertWebhook,
  listWebhooks,
  rotateSecret,
  updateWebhook,
  type WebhookRow,
} from './webhooks.queries.ts'
import { urlProblems } from './webhooks.rules.ts'

export type WebhookDeps = {
  db: Pick<TenantDatabase<Tables>, 'forOrg'>
  secretKeys: SecretKeys
  allowPrivateTargets: boolean
  ports?: readonly number[] | undefined
  sendTest: SendTest
}

export const webhookHandlers = ({
  db: tenants,
  secretKeys,
  allowPrivateTargets,
  ports,
  sendTest,
}: WebhookDeps) =>
  ({
    async listWebhooks({ principal: { orgId }, query }) {
      const db = tenants.forOrg(orgId)
      const rows = await listWebhooks(db, orgId, query)
      return { data: rows.map((row) => toView(row)), ...query, total_count: await countWebhooks(db, orgId) }
    },

    async createWebhook({ principal: { orgId }, body: { url, enabled = true } }) {
      const db = tenants.forOrg(orgId)
      rejectIfAny(urlProblems(url, allowPrivateTargets, ports))
      const secret = mintSecret()
      const sealed = sealSecret(secretKeys, orgId, secret)
      const row = await insertWebhook(db, orgId, {
        url,
        enabled,
        ...sealed,
        secret_last_four: secret.slice(-4),
      })
      // This and a rotation are the only times that a whole secret leaves the service.
      return new Reply({ data: toView(row, secret) }, { location: `${API_PREFIX}/webhooks/${row.id}` })
    },

    async getWebhook({ principal: { orgId }, params }) {
      const db = tenants.forOrg(orgId)
      return { data: toView(await getWebhook(db, orgId, params.webhook_id)) }
    },

    async updateWebhook({ principal: { orgId }, params, body }) {
      const db = tenants.forOrg(orgId)
      if (body.url !== undefined) rejectIfAny(urlProblems(body.url, allowPrivateTargets, ports))
      const row = await updateWebhook(db, orgId, params.webhook_id, body)
      if (!row) throw webhookNotFound()
      return { data: toView(row) }
    },

    async rotateWebhookSecret({ principal: { orgId }, params }) {
      const secret = mintSecret()
      const sealed = { ...sealSecret(secretKeys, orgId, secret), secret_last_four: secret.slice(-4) }
      const row = await rotateSecret(tenants.forOrg(orgId), orgId, params.webhook_id, sealed)
      if (!row) throw webhookNotFound()
      return { data: toView(row, secret) }
    },

    async deleteWebhook({ principal: { orgId }, params }) {
      const db = tenants.forOrg(orgId)
      if (!(await deleteWebhook(db, orgId, params.webhook_id))) throw webhookNotFound()
      return undefined
    },

    /** Sends the test event even if deliveries are off or the subscription has lapsed. */
    async testWebhook({ principal: { orgId }, params }) {
      const db = tenants.forOrg(orgId)
      const target = await findTarget(db, orgId)
      if (target?.id !== params.webhook_id) throw webhookNotFound()
      const waitSeconds = await takeTestEvent(db, orgId)
      if (waitSeconds !== undefined) throw tooManyTests(waitSeconds)
      const payload = testPayload(orgId, Date.now())
      const secrets = openSecrets((stored) => openSecret(secretKeys, orgId, stored), target)
      const attemptedAt = Date.now()
      const result = await sendTest({ url: target.url, secrets }, payload)
      await recordTest(db, orgId, target.id, payload, attemptOf(attemptedAt, result))
      return { data: { status_code: result.statusCode ?? null, error: result.error ?? null } }
    },
  }) satisfies Partial<Handlers<'webhook-dispatcher'>>

async function getWebhook(db: Db, orgId: number, id: number): Promise<WebhookRow> {
  const row = await findWebhook(db, orgId, id)
  if (!row) throw webhookNotFound()
  return row
}

function toView(row: WebhookRow, secret = maskedSecret(row.secret_last_four)): WebhookView {
  const { id, url, enabled, created_at, updated_at } = row
  return { id, url, enabled, secret, created_at, updated_at }
}
