import {
  eraseFromCatalog,
  eraseFromTracking,
  eraseFromWebhooks,
  LAST_STATE_SECONDS,
  type Erasure,
} from '@whereabouts/contracts/messages/usage'
import { keyState } from '@whereabouts/contracts/messages/keys-state'
import { eraseOrganization } from '@whereabouts/db/erase/erase-organization'
import { enqueue } from '@whereabouts/db/outbox/outbox'
import type { Logger } from '@whereabouts/service-kit/observe/logging'
import { toKeyState } from '../api-keys/api-keys.state.ts'
import type { ApiKeyRow, Db, DeletedOrgRow, Tx } from '../../db.ts'
import { claimDeleted, countErased, endOrganization, putOff } from './deletion.queries.ts'

type Options = {
  /** As the owner of the schema: nobody else may delete all rows. */
  owner: Db
  /** Asks a service to erase some rows. Rejects if it does not answer. */
  askToErase: (subject: string, orgId: number) => Promise<Erasure>
  /** Drops what the broker keeps of the organization and allows to delete. */
  dropDeadLetters: (orgId: number) => Promise<unknown>
  log: Logger
  now?: () => number
  stopping?: AbortSignal
}

/** Catalog is first, because its last states change rows of tracking. */
const SERVICES = {
  catalog: eraseFromCatalog.subject,
  tracking: eraseFromTracking.subject,
  'webhook-dispatcher': eraseFromWebhooks.subject,
} as const

const CLAIM_SECONDS = 120
/** After that another organization has its turn. */
const TURN_MS = 30_000
/** Requests that began before the deletion, and messages of theirs, have ended by then. */
const SETTLED_MS = 30_000
const RETRY_SECONDS = 30
/**
 * Streams keep events and entries of the audit for 7 days, so a consumer that was away, or a restored one, may store rows of the organization again.
 * Until then every hour somebody looks.
 */
const LATE_MESSAGES_MS = 8 * 24 * 3_600_000
const LOOK_AGAIN_SECONDS = 3_600

/** Erases what is due. All replicas run it; each organization is claimed by one. */
export async function eraseDeleted(options: Options): Promise<void> {
  const { owner, stopping, log } = options
  while (!stopping?.aborted) {
    const claimed = await claimDeleted(owner, CLAIM_SECONDS)
    if (!claimed) return
    try {
      await putOff(owner, claimed.id, await eraseFor(options, claimed))
    } catch (error) {
      await putOff(owner, claimed.id, RETRY_SECONDS)
      log.warn({ err: error, org_id: claimed.id }, 'organization was not erased yet; will retry')
    }
  }
}

/** Returns in how many seconds it is due again, null for never. */
async function eraseFor(options: Options, org: DeletedOrgRow): Promise<number | null> {
  const { owner, now = Date.now, stopping, log } = options
  const until = performance.now() + TURN_MS
  while (await isLeftElsewhere(options, org.id)) if (stopping?.aborted || performance.now() > until) return 0
  const ageMs = now() - Date.parse(org.deleted_at)
  if (ageMs < SETTLED_MS) return 1 + (SETTLED_MS - ageMs) / 1_000
  while ((await eraseOwn(owner, org.id)).left) if (stopping?.aborted || performance.now() > until) return 0
  if (org.gone_at !== null) return ageMs > LATE_MESSAGES_MS ? null : LOOK_AGAIN_SECONDS
  await options.dropDeadLetters(org.id)
  await endOrganization(owner, org.id)
  log.info({ org_id: org.id }, 'organization was erased')
  return LOOK_AGAIN_SECONDS
}

/** Asks one service after the other, until one has rows left. */
async function isLeftElsewhere({ owner, askToErase }: Options, orgId: number): Promise<boolean> {
  for (const [service, subject] of Object.entries(SERVICES)) {
    const { deleted, left } = await askToErase(subject, orgId)
    await countErased(owner, orgId, service, deleted)
    if (left) return true
  }
  return false
}

/** The broker drops the states of its keys once no token of them can be valid. */
const eraseOwn = (owner: Db, orgId: number): Promise<Erasure> =>
  eraseOrganization(owner, orgId, {
    onDeleted: {
      api_key: (tx: Tx, rows) =>
        enqueue(
          tx,
          { ...keyState, ttlSeconds: LAST_STATE_SECONDS },
          rows.map((row) => toKeyState(row as ApiKeyRow)),
        ),
    },
  })
