import { startBackgroundJob, type BackgroundJob } from '@whereabouts/service-kit/service/background-job'
import type { Logger } from '@whereabouts/service-kit/observe/logging'
import type { Registry } from '@whereabouts/service-kit/observe/metrics'
import type { Db } from '../db.ts'
import {
  countSeals,
  dropEndedSecrets,
  listSealedWithOtherKeys,
  replaceSeal,
  type SealedRow,
} from './reseal.queries.ts'
import { openSecret, sealSecret, type SecretKeys } from './secrets.ts'

type Options = {
  /** A connection of the worker, which sees the webhooks of all organizations. */
  across: Db
  secretKeys: SecretKeys
  log: Logger
  /** Called after each round with the number of secrets that are still encrypted with another key than the first. */
  onRound?: (others: number) => void
  registry?: Registry
}

const EVERY_MS = 10 * 60_000
const BATCH = 200

/**
 * Re-encrypts every secret that is encrypted with another key than the first. May run twice at once, because a row is
 * replaced only if it is unchanged. A secret whose key is missing stays, and is counted. Returns how many were
 * replaced.
 */
export async function resealSecrets(
  { across, secretKeys, log }: Options,
  stopping?: AbortSignal,
): Promise<number> {
  let [after, replaced] = [0, 0]
  await dropEndedSecrets(across)
  for (;;) {
    const rows = await listSealedWithOtherKeys(across, secretKeys[0].id, after, BATCH)
    for (const row of rows) {
      if (stopping?.aborted === true) return replaced
      for (const stored of [row, row.previous])
        if (stored && (await resealOne(across, secretKeys, log, { ...row, ...stored }))) replaced += 1
      after = row.id
    }
    if (rows.length < BATCH) return replaced
  }
}

async function resealOne(across: Db, keys: SecretKeys, log: Logger, row: SealedRow): Promise<boolean> {
  if (row.secret_key_id === keys[0].id) return false
  const secret = openOrWarn(keys, log, row)
  return secret !== undefined && replaceSeal(across, row, sealSecret(keys, row.org_id, secret))
}

function openOrWarn(keys: SecretKeys, log: Logger, row: SealedRow): string | undefined {
  try {
    return openSecret(keys, row.org_id, row)
  } catch (error) {
    const fields = { org_id: row.org_id, webhook_id: row.id, secret_key_id: row.secret_key_id }
    log.error({ err: error, ...fields }, 'webhook secret re-encryption failed')
    return undefined
  }
}

/** Runs now and every ten minutes, because a replica that still has the old settings encrypts with the old key. */
export function startResealing(options: Options): BackgroundJob {
  const { log, registry } = options
  return startBackgroundJob({ name: 'webhook-reseal', everyMs: EVERY_MS, log, registry }, (stopping) =>
    resealAndReport(options, stopping),
  )
}

async function resealAndReport(options: Options, stopping: AbortSignal): Promise<void> {
  const { across, secretKeys, log, onRound } = options
  const replaced = await resealSecrets(options, stopping)
  const seals = await countSeals(across)
  const others = seals.filter(({ secret_key_id }) => secret_key_id !== secretKeys[0].id)
  const left = others.reduce((sum, { secrets }) => sum + secrets, 0)
  onRound?.(left)
  const keys = others.map(({ secret_key_id }) => secret_key_id)
  if (replaced > 0 || left > 0) log.info({ replaced, left, keys }, 'webhook secrets re-encrypted')
}
