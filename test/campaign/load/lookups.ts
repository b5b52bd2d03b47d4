import { setTimeout as wait } from 'node:timers/promises'
import type { Work } from './saves.ts'

const PAUSE_MS = 250

/** People and programs that look at reports, histories and lists, and change the address of the webhook. */
export async function lookUp({ tenant, caller, random, isStopping }: Work): Promise<void> {
  const { keyToken, adminToken, webhook, ledger } = tenant
  const ids = [...ledger.assets.keys()]
  const tracking = { needs: ['tracking'], token: keyToken, expect: [200] } as const
  const webhooks = { needs: ['webhook-dispatcher'], token: adminToken, expect: [200] } as const
  for (let n = 0; !isStopping(); n += 1) {
    await wait(PAUSE_MS)
    const report = await caller.call({
      ...tracking,
      operation: 'report',
      path: '/api/v1/reports/asset-locations?limit=200',
    })
    const foreign = ((report.data ?? []) as { asset_id: number }[]).filter(
      ({ asset_id }) => !ledger.assets.has(asset_id),
    )
    for (const row of foreign)
      caller.findings.push({
        kind: 'row of another organization',
        what: `the report of organization ${tenant.id} shows asset ${row.asset_id}`,
      })
    await caller.call({
      ...tracking,
      operation: 'history',
      path: `/api/v1/assets/${random.pick(ids)}/history?limit=10`,
    })
    await caller.call({
      operation: 'list assets',
      path: '/api/v1/assets?limit=20',
      needs: ['catalog'],
      token: keyToken,
      expect: [200],
    })
    if (n % 4 === 0) await caller.call({ ...webhooks, operation: 'list webhooks', path: '/api/v1/webhooks' })
    if (n % 20 !== 0) continue
    const url = `${webhook.url}${random.pick(['', '/second'])}`
    const path = `/api/v1/webhooks/${webhook.id}`
    await caller.call({ ...webhooks, operation: 'update webhook', method: 'PATCH', path, body: { url } })
  }
}
