import { callerName } from '@whereabouts/contracts/messages/alerts/caller-name'
import { answering } from '@whereabouts/messaging/messages/request'
import type { Db } from '../../db.ts'

/** Answers `rpc.keys.caller-name`: the public id and the name of a member or an API key of the organization. */
export const { serve: serveCallerName } = answering(
  callerName,
  'names no caller of an organization',
  async (db: Db, { org_id, user_id, key_id }) => {
    const found =
      key_id === undefined ? await findMember(db, org_id, user_id ?? 0) : await findKey(db, org_id, key_id)
    return found ?? { id: user_id ?? null, name: null }
  },
)

type Named = { id: number; name: string | null }

const findMember = (db: Db, orgId: number, userId: number): Promise<Named | undefined> =>
  db
    .selectFrom('membership')
    .innerJoin('app_user', 'app_user.id', 'membership.user_id')
    .select(['app_user.id', 'app_user.name'])
    .where('membership.org_id', '=', orgId)
    .where('app_user.id', '=', userId)
    .executeTakeFirst()

const findKey = (db: Db, orgId: number, jti: string): Promise<Named | undefined> =>
  db
    .selectFrom('api_key')
    .select(['id', 'name'])
    .where('org_id', '=', orgId)
    .where('jti', '=', jti)
    .executeTakeFirst()
