import { API_PREFIX } from '@whereabouts/contracts/routes'
import type { WebhookView } from '@whereabouts/contracts/webhooks'
import { rejectIfAny } from '@whereabouts/service-kit/errors'
import { Answer, type Handlers } from '@whereabouts/service-kit/serve'
import { countAttempts, listAttempts } from '../attempts/attempts.queries.ts'
import type { Db } from '../db.ts'
import { webhookNotFound } from '../errors.ts'
import { maskedSecret, mintSecret, sealSecret, type SecretKeys } from './secrets.ts'
import {
  countWebhooks,
  deleteWebhook,
  findWebhook,
  insertWebhook,
  listWebhooks,
  updateWebhook,
  type WebhookRow,
} from './webhooks.queries.ts'
import { urlProblems } from './webhooks.rules.ts'

export type WebhookDeps = { db: Db; secretKeys: SecretKeys; allowPrivateTargets: boolean }

export const webhookHandlers = ({ db, secretKeys, allowPrivateTargets }: WebhookDeps) =>
  ({
    async listWebhooks({ principal: { orgId }, query }) {
      const rows = await listWebhooks(db, orgId, query)
      return { data: rows.map((row) => toView(row)), ...query, total_count: await countWebhooks(db, orgId) }
    },

    async createWebhook({ principal: { orgId }, body: { url, enabled = true } }) {
      rejectIfAny(urlProblems(url, allowPrivateTargets))
      const secret = mintSecret()
      const sealed = sealSecret(secretKeys, orgId, secret)
      const row = await insertWebhook(db, orgId, {
        url,
        enabled,
        ...sealed,
        secret_last_four: secret.slice(-4),
      })
      // The only time that the whole secret leaves the service.
      return new Answer({ data: toView(row, secret) }, { location: `${API_PREFIX}/webhooks/${row.id}` })
    },

    async getWebhook({ principal: { orgId }, params }) {
      return { data: toView(await getWebhook(db, orgId, params.webhook_id)) }
    },

    async updateWebhook({ principal: { orgId }, params, body }) {
      if (body.url !== undefined) rejectIfAny(urlProblems(body.url, allowPrivateTargets))
      const row = await updateWebhook(db, orgId, params.webhook_id, body)
      if (!row) throw webhookNotFound()
      return { data: toView(row) }
    },

    async deleteWebhook({ principal: { orgId }, params }) {
      if (!(await deleteWebhook(db, orgId, params.webhook_id))) throw webhookNotFound()
      return undefined
    },

    async listWebhookDeliveries({ principal: { orgId }, params, query }) {
      const { id } = await getWebhook(db, orgId, params.webhook_id)
      const data = await listAttempts(db, orgId, id, query)
      return { data, ...query, total_count: await countAttempts(db, orgId, id) }
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
