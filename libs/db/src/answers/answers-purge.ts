import { startBackgroundJob, type BackgroundJob } from '@whereabouts/service-kit/service/background-job'
import type { Logger } from '@whereabouts/service-kit/observe/logging'
import type { Registry } from '@whereabouts/service-kit/observe/metrics'
import { sql, type Kysely } from 'kysely'

/** Of one organization. Beyond that the oldest go before their day is over, so that nobody fills the disk with repeats. */
const MOST = { answers: 100_000, bytes: 256 * 1024 * 1024 }
const PART = 5_000
const EVERY_MS = 10 * 60_000

/** Deletes a part of the answers that are older than a day. Returns how many. */
export async function deleteOldAnswers<T>(across: Kysely<T>): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from kept_answer where ctid = any(array(
      select ctid from kept_answer where created_at <= now() - interval '24 hours' limit ${PART}))`.execute(
    across,
  )
  return Number(numAffectedRows)
}

/** Deletes a part of the answers beyond what an organization keeps. Reads all of the table, so not more often than needed. */
export async function deleteAnswersBeyond<T>(across: Kysely<T>, most = MOST): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from kept_answer where ctid = any(array(
      select kept.ctid from (
        select ctid, row_number() over newest as place, sum(octet_length(answer)) over newest as bytes from kept_answer
        window newest as (partition by org_id order by created_at desc, caller, key)) as kept
      where kept.place > ${most.answers}::bigint or kept.bytes > ${most.bytes}::bigint
      limit ${PART}))`.execute(across)
  return Number(numAffectedRows)
}

/** Purges now and every ten minutes. All replicas may run it. */
export const startAnswerPurge = <T>(
  across: Kysely<T>,
  { log, registry }: { log: Logger; registry?: Registry },
): BackgroundJob =>
  startBackgroundJob({ name: 'answer-purge', everyMs: EVERY_MS, log, registry }, async (stopping) => {
    while ((await deleteOldAnswers(across)) === PART) if (stopping.aborted) return
    while ((await deleteAnswersBeyond(across)) === PART) if (stopping.aborted) return
  })
