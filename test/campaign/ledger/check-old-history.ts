import { poll } from '@whereabouts/deploy/workshop/servers/poll'
import { gunzipSync } from 'node:zlib'
import type { Answer, Call, Caller } from '../load/caller.ts'
import type { OldHistory } from '../load/old-history.ts'
import type { Tenant } from '../load/tenant.ts'
import type { Finding } from './ledger.ts'
import { checkOldRows, rowsOfDay, type OldRow } from './old-rows.ts'

type Facts = {
  base: string
  tenants: readonly Tenant[]
  caller: Caller
  seed: number
  /** The length of the load. */
  ms: number
  old: OldHistory
}

const EXPORT = { everyMs: 1_000, timeoutMs: 300_000 }
/** Pages go over some days, of which the last ones may not be packed. */
const [PAGE, PAGES, PAGED_ASSETS] = [200, 30, 2]
/** The packer has had its time in such a load. */
const PACKS_IN_MS = 240_000

/** Each row of old history that was committed is shown once, as it was, by an export and by pages. */
export async function checkOldHistory(facts: Facts): Promise<Finding[]> {
  const { tenants, ms, old } = facts
  const findings: Finding[] = []
  if (ms >= PACKS_IN_MS && old.packedDays === 0)
    findings.push({ kind: 'history not packed', what: `none of ${old.days.length} old days was packed` })
  if (old.days.length === 0) return findings
  for (const tenant of tenants)
    findings.push(...(await checkExport(facts, tenant)), ...(await checkPages(facts, tenant)))
  return findings
}

const asked = async (
  { caller }: Facts,
  { keyToken: token }: Tenant,
  call: Pick<Call, 'operation' | 'path' | 'method' | 'body'>,
): Promise<unknown> => {
  const expect = call.method === 'POST' ? 202 : 200
  const answer: Answer = await caller.call({ ...call, token, needs: ['tracking'], expect: [expect] })
  if (answer.status !== expect)
    throw new Error(`the quiet system does not answer: ${call.operation} ${call.path}`)
  return answer.data
}

type ExportView = {
  id: number
  status: string
  problem: string | null
  files: { day: string; url: string }[]
}

async function checkExport(facts: Facts, tenant: Tenant): Promise<Finding[]> {
  const { days } = facts.old
  const range = { from: `${days[0]?.day}T00:00:00Z`, to: `${days.at(-1)?.day}T23:59:59.999Z` }
  const body = { dataset: 'history', format: 'ndjson', ...range }
  const path = '/api/v1/exports'
  const { id } = (await asked(facts, tenant, {
    operation: 'export',
    method: 'POST',
    path,
    body,
  })) as ExportView
  const look = async () => {
    const view = (await asked(facts, tenant, {
      operation: 'get export',
      path: `${path}/${id}`,
    })) as ExportView
    if (view.status === 'failed') throw new Error(`an export failed: ${view.problem}`)
    return view.status === 'done' ? view : undefined
  }
  const done = await poll(look, EXPORT)
  if (!done) throw new Error(`an export was not done in ${EXPORT.timeoutMs / 1_000} s`)
  const findings: Finding[] = []
  for (const { day } of days) {
    const file = done.files.find((one) => one.day === day)
    const shown = file ? await rowsOfFile(`${facts.base}${file.url}`) : []
    const where = `export of organization ${tenant.id}, ${day}`
    findings.push(...checkOldRows(where, rowsOfDay(facts.seed, tenant, day), shown))
  }
  return findings
}

type Line = { asset_id: number; observed_at: string; location_id: number | null; reader_key: string | null; antenna: number | null } // oxfmt-ignore

async function rowsOfFile(url: string): Promise<OldRow[]> {
  const reply = await fetch(url, { headers: { 'user-agent': 'campaign/1' } })
  if (!reply.ok) throw new Error(`the quiet system does not answer: file of an export: ${reply.status}`)
  const lines = gunzipSync(await reply.arrayBuffer())
    .toString()
    .trimEnd()
    .split('\n')
  return lines.map((text) => {
    const line = JSON.parse(text) as Line
    return {
      assetId: line.asset_id,
      observedAtMs: Date.parse(line.observed_at),
      locationId: line.location_id,
      readerKey: line.reader_key ?? null,
      antenna: line.antenna ?? null,
    }
  })
}

/** The newest pages of some assets. */
async function checkPages(facts: Facts, tenant: Tenant): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const assetId of tenant.oldAssetIds.slice(0, PAGED_ASSETS)) {
    const shown: OldRow[] = []
    for (let page = 0; page < PAGES; page += 1) {
      const path = `/api/v1/assets/${assetId}/history?limit=${PAGE}&offset=${page * PAGE}`
      const rows = (await asked(facts, tenant, { operation: 'old history', path })) as {
        event_observed_at: string
        location_id: number | null
      }[]
      for (const { event_observed_at, location_id: locationId } of rows)
        shown.push({ assetId, observedAtMs: Date.parse(event_observed_at), locationId })
    }
    const written = newestRows(facts, tenant, assetId, PAGE * PAGES)
    findings.push(...checkOldRows(`pages of asset ${assetId}`, written, shown))
  }
  return findings
}

function newestRows({ old, seed }: Facts, tenant: Tenant, assetId: number, count: number): OldRow[] {
  const rows: OldRow[] = []
  for (let at = old.days.length - 1; at >= 0 && rows.length < count; at -= 1)
    rows.unshift(...rowsOfDay(seed, tenant, old.days[at]?.day ?? '').filter((row) => row.assetId === assetId))
  return rows.slice(-count)
}
