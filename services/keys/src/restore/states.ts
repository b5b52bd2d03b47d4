import {
  CHAIN_END_SECONDS,
  chainEnd,
  keyState,
  memberState,
  orgState,
} from '@whereabouts/contracts/messages/keys-state'
import { republishKeysState } from '@whereabouts/contracts/messages/republish-state'
import { Uuid } from '@whereabouts/contracts/rules/ids'
import { stateLog, states } from '@whereabouts/db/outbox/republish'
import { answering } from '@whereabouts/messaging/messages/request'
import { sql, type Kysely } from 'kysely'
import { toKeyState } from '../credentials/api-keys/api-keys.state.ts'
import { toChainEnd } from '../credentials/tokens/chains.ts'
import type { Db } from '../db.ts'
import { toMemberState } from '../organizations/members/members.state.ts'
import { toLastOrgState, toOrgState } from '../organizations/orgs/orgs.state.ts'

const recently = sql`clock_timestamp() - make_interval(secs => ${CHAIN_END_SECONDS})`
/** Chains that may still have a valid access token: they ended in the last hour and issued one in the hour before. */
const endedRecently = sql<boolean>`revoked_at > ${recently} and exists (
  select from refresh_token token
  where token.org_id = token_chain.org_id and token.chain_id = token_chain.id and token.created_at > ${recently})`

/** The states of the KEYS stream. */
export const keysStates = stateLog('keys', {
  chain: states({
    table: 'token_chain',
    key: ['org_id', 'id'],
    only: endedRecently,
    message: chainEnd,
    toState: toChainEnd,
  }),
  org: states({
    table: 'org',
    key: ['id'],
    only: sql<boolean>`deleted_at is null`,
    message: orgState,
    toState: toOrgState,
  }),
  deleted: states({ table: 'deleted_org', key: ['id'], message: orgState, toState: toLastOrgState }),
  member: states({
    table: 'membership',
    key: ['org_id', 'user_id'],
    message: memberState,
    toState: toMemberState,
  }),
  key: states({
    table: 'api_key',
    key: ['jti'],
    isKeyPart: (part) => Uuid.safeParse(part).success,
    message: keyState,
    toState: toKeyState,
  }),
})
export const { forgetQueued } = keysStates

/**
 * Puts the state of every organization, member and key into the outbox, and the recently ended chains. Returns the
 * number of each.
 */
export async function publishAll<T>(db: Kysely<T>) {
  const { org, member, key, chain } = await keysStates.republishAll(db)
  return { ended: chain, orgs: org, members: member, keys: key }
}

/** Enqueues the current state of a subject of KEYS again, for a service that lacks it or cannot read it. */
export const { answer: republishState } = answering(
  republishKeysState,
  'not a request for a state',
  async (db: Db, { subject }) => ({ published: await keysStates.republishOne(db, subject) }),
)
