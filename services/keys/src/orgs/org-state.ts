import { askOrgState } from '@whereabouts/contracts/messages/org-state'
import { RefusedError } from '@whereabouts/messaging/request'
import type { z } from 'zod'
import type { Db } from '../db.ts'
import { toOrgState } from './orgs.state.ts'

/** The state of an organization in the database, for a service that does not have it from the KEYS stream. */
export async function readOrgState(db: Db, payload: unknown): Promise<z.output<typeof askOrgState.reply>> {
  const parsed = askOrgState.request.safeParse(payload)
  if (!parsed.success) throw new RefusedError('not a request for an organization')
  const org = await db.selectFrom('org').selectAll().where('id', '=', parsed.data.org_id).executeTakeFirst()
  return { org: org ? toOrgState(org) : null }
}
