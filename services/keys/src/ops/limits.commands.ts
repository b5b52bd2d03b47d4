import type { StorageLimit } from '@whereabouts/contracts/resources/keys/storage-limits'
import type { Usage } from '@whereabouts/contracts/messages/usage'
import type { Db } from '../db.ts'
import { keyUsage, type UsageElsewhere } from '../limits/usage.queries.ts'
import { lockOrg, updateLimit } from '../organizations/orgs/orgs.queries.ts'
import { auditOrg, enqueueOrgState } from '../organizations/orgs/orgs.state.ts'
import { orgMissing } from './failures.ts'
import { listOrgs } from './ops.queries.ts'
import { printable, table, type Report } from './report.ts'

/** `value` null: the default again. The services follow within a second. */
export async function setLimit(
  db: Db,
  orgId: number,
  name: StorageLimit,
  value: number | null,
): Promise<Report> {
  const org = await db.transaction().execute(async (tx) => {
    const before = await lockOrg(tx, orgId)
    if (!before) throw orgMissing(orgId)
    const updated = await updateLimit(tx, orgId, name, value)
    await enqueueOrgState(tx, updated)
    await auditOrg(tx, before, updated)
    return updated
  })
  const shown = value ?? 'the default'
  return {
    json: { org: { id: org.id, name: org.name }, limit: { name, value } },
    text: `The limit ${name} of organization ${org.id} "${printable(org.name)}" is ${shown}.`,
  }
}

/** Of one organization, or of a page of them by name: the fullest limit of each. */
export async function showUsage(
  db: Db,
  elsewhere: UsageElsewhere,
  which: { org: number } | { limit: number; offset: number },
): Promise<Report> {
  const usageOf = async (orgId: number): Promise<Usage[]> => {
    const own = await keyUsage(db, orgId)
    if (!own) throw orgMissing(orgId)
    return [...(await elsewhere(orgId)), own].toSorted((a, b) => b.used / b.limit - a.used / a.limit)
  }
  if ('org' in which) {
    const data = await usageOf(which.org)
    return { json: { data }, text: table([['LIMIT', ...HEADING], ...data.map(cellsOf)]) }
  }
  const data: { id: number; name: string; usage: Usage[] }[] = []
  for (const { id, name } of await listOrgs(db, { q: undefined, ...which }))
    data.push({ id, name, usage: await usageOf(id) })
  const rows = data.flatMap(({ id, name, usage: [fullest] }) =>
    fullest ? [[String(id), name, ...cellsOf(fullest)]] : [],
  )
  return { json: { data }, text: table([['ID', 'NAME', 'FULLEST LIMIT', ...HEADING], ...rows]) }
}

const HEADING = ['USED', 'LIMIT', 'SHARE']

const cellsOf = ({ name, used, limit }: Usage): string[] => {
  const amount = (n: number) => (name.endsWith('_bytes') ? `${(n / 2 ** 20).toFixed(1)} MiB` : String(n))
  return [name, amount(used), amount(limit), `${Math.round((100 * used) / limit)} %`]
}
