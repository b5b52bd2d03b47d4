import {
  CHAIN_END_SECONDS,
  keyState,
  memberState,
  orgState,
} from '@whereabouts/contracts/messages/keys-state'
import { enqueue } from '@whereabouts/db/outbox/outbox'
import { toKeyState } from '../credentials/api-keys/api-keys.state.ts'
import { sql } from 'kysely'
import type { Db } from '../db.ts'
import { toMemberState } from '../organizations/members/members.state.ts'
import { toOrgState } from '../organizations/orgs/orgs.state.ts'
import { enqueueChainEnds } from '../credentials/tokens/chains.ts'

const BATCH = 500

type Published = { orgs: number; members: number; keys: number; ended: number }

/**
 * Puts the state of every organization, member and key into the outbox, and the recently ended chains. Returns the
 * number of each.
 */
export async function publishAll(db: Db): Promise<Published> {
  const ended = await publishChainEnds(db)
  return {
    ended,
    orgs: await publishOrgs(db),
    members: await publishMembers(db),
    keys: await publishKeys(db),
  }
}

/** Locks the rows until they are in the outbox, so that no newer state is queued before. */
async function publishOrgs(db: Db): Promise<number> {
  return inBatches((offset) =>
    db.transaction().execute(async (tx) => {
      const rows = await tx.selectFrom('org').selectAll().orderBy('id').offset(offset).limit(BATCH).forShare().execute() // oxfmt-ignore
      await enqueue(tx, orgState, rows.map(toOrgState))
      return rows.length
    }),
  )
}

async function publishMembers(db: Db): Promise<number> {
  return inBatches((offset) =>
    db.transaction().execute(async (tx) => {
      const rows = await tx.selectFrom('membership').selectAll().orderBy('org_id').orderBy('user_id').offset(offset).limit(BATCH).forShare().execute() // oxfmt-ignore
      await enqueue(tx, memberState, rows.map(toMemberState))
      return rows.length
    }),
  )
}

async function publishKeys(db: Db): Promise<number> {
  return inBatches((offset) =>
    db.transaction().execute(async (tx) => {
      const rows = await tx.selectFrom('api_key').selectAll().orderBy('org_id').orderBy('id').offset(offset).limit(BATCH).forShare().execute() // oxfmt-ignore
      await enqueue(tx, keyState, rows.map(toKeyState))
      return rows.length
    }),
  )
}

/** Chains that may still have a valid access token: they ended in the last hour and issued one in the hour before. */
async function publishChainEnds(db: Db): Promise<number> {
  const recently = sql<string>`clock_timestamp() - make_interval(secs => ${CHAIN_END_SECONDS})`
  return inBatches((offset) =>
    db.transaction().execute(async (tx) => {
      const chains = await tx
        .selectFrom('token_chain as chain')
        .select(['org_id', 'id', sql<string>`revoked_at`.as('revoked_at')])
        .where('revoked_at', '>', recently)
        .where((eb) =>
          eb.exists(
            eb
              .selectFrom('refresh_token as token')
              .select('token.hash')
              .whereRef('token.org_id', '=', 'chain.org_id')
              .whereRef('token.chain_id', '=', 'chain.id')
              .where('token.created_at', '>', recently),
          ),
        )
        .orderBy('org_id')
        .orderBy('id')
        .offset(offset)
        .limit(BATCH)
        .execute()
      await enqueueChainEnds(tx, chains)
      return chains.length
    }),
  )
}

/** Nothing else writes, so offsets stay valid. */
async function inBatches(publish: (offset: number) => Promise<number>): Promise<number> {
  for (let total = 0; ;) {
    const count = await publish(total)
    total += count
    if (count < BATCH) return total
  }
}
