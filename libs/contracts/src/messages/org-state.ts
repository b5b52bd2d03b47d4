import { z } from 'zod'
import { OrgState } from './keys-state.ts'

/** Asks keys for the state of one organization in its database; null if there is no such organization. */
export const askOrgState = {
  subject: 'rpc.keys.org-state',
  request: z.object({ org_id: z.int().positive().max(Number.MAX_SAFE_INTEGER) }),
  reply: z.object({ org: OrgState.nullable() }),
} as const
