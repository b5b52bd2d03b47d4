import type { Db } from '../db.ts'
import { deleteOrganization } from '../credentials/deletion/delete-organization.ts'
import { findOrg, lockOrg, updateOrg } from '../organizations/orgs/orgs.queries.ts'
import { auditOrg, enqueueOrgState } from '../organizations/orgs/orgs.state.ts'
import { OpsError, orgMissing } from './failures.ts'
import { printable, type Report } from './report.ts'

/** Without `yes` it says what would be deleted, as an error, and deletes nothing. */
export async function deleteOrg(db: Db, orgId: number, yes: boolean): Promise<Report> {
  const org = await findOrg(db, orgId)
  if (!org || org.deleted_at !== null) throw orgMissing(orgId)
  const named = `organization ${org.id} "${printable(org.name)}"`
  if (!yes)
    throw new OpsError(
      'usage',
      `This deletes ${named} with all that it stored, for good. Add --yes if you mean it.`,
    )
  const deleted = await db.transaction().execute((tx) => deleteOrganization(tx, orgId))
  if (!deleted) throw orgMissing(orgId)
  return {
    json: { org: { id: org.id, name: org.name, deleted_at: deleted.deleted_at } },
    text: `The ${named} has no access any more. "org list" shows it until all that it stored is erased.`,
  }
}

/** Without a zone it shows the one of now. */
export async function setTimeZone(db: Db, orgId: number, timezone: string | undefined): Promise<Report> {
  const org = await db.transaction().execute(async (tx) => {
    const stored = await lockOrg(tx, orgId)
    if (!stored) throw orgMissing(orgId)
    const changed = timezone === undefined ? undefined : await updateOrg(tx, orgId, { timezone })
    if (changed) {
      await enqueueOrgState(tx, changed)
      await auditOrg(tx, stored, changed)
    }
    return changed ?? stored
  })
  return {
    json: { org: { id: org.id, name: org.name, timezone: org.timezone } },
    text: `The time zone of organization ${org.id} "${printable(org.name)}" is ${org.timezone}.`,
  }
}
