import { sql, type RawBuilder } from 'kysely'
import { RETURN_MS } from './reader-identities.ts'
import { HOUR_MS, WHOLE_READER } from './reader-hours.ts'

/**
 * A reader `h` is silent after three usual pauses, at least two minutes; after five minutes while its usual pause is
 * unknown.
 */
export const silence = sql.raw(
  `greatest(120000, 3 * coalesce(h.usual_pause_ms, 100000)) * interval '1 millisecond'`,
)

/**
 * A reader that sends is degraded if so many messages of the last hour had a problem, and such a share of them; or if
 * all had one, however few.
 */
const DEGRADED = { problems: 5, percent: 5 }
const isDegraded = sql.raw(
  `(l.all_failed or l.problems >= ${DEGRADED.problems} and l.problems * 100 >= l.messages * ${DEGRADED.percent})`,
)

/** Of the reader `r` with health `h`. The clock of a reader whose times do not count is nobody's problem. */
export const clockState = sql<string>`case when r.time_source = 'receipt' then 'ok' else coalesce(h.clock->>'state', 'ok') end`

const isClockWrong = sql`coalesce(r.time_source, 'reader') = 'reader' and jsonb_typeof(h.clock->'wrong') = 'object'`

/** Of the reader `r` with health `h` and the last hour `l`. */
export const statusAt = (nowMs: number): RawBuilder<string> =>
  sql<string>`case when h.last_seen_at is null then 'never_heard'
    when h.last_seen_at <= ${new Date(nowMs).toISOString()}::timestamptz - ${silence} then 'silent'
    when ${isDegraded} or ${isClockWrong} or ${takesTurns(nowMs)} then 'degraded' else 'online' end`

/** Two devices send as this reader: some kind of name came back within the last hour. */
const takesTurns = (nowMs: number) => sql`exists (
  select from jsonb_each(h.identities) as kind (name, heard)
  where (kind.heard->'turn'->>'at')::float8 > ${nowMs - RETURN_MS}::float8)`

/** What needs a person first comes first. */
export const severity = `array_position(array['silent', 'degraded', 'never_heard', 'online'], status)`

/**
 * An estimate of what the reader `h` sent in the sixty minutes before `nowMs`: the current hour counts in full, the one
 * before it by its share of the sixty minutes. One row.
 */
export function lastHour(orgId: number, nowMs: number): RawBuilder<unknown> {
  const hour = Math.floor(nowMs / HOUR_MS)
  const left = 1 - (nowMs / HOUR_MS - hour)
  const [current, before] = [hour, hour - 1].map((h) => new Date(h * HOUR_MS).toISOString())
  const sum = (column: string) =>
    sql`coalesce(round(sum(x.${sql.ref(column)} * x.share)), 0)::bigint as ${sql.ref(column)}`
  return sql`
    select ${sum('messages')}, ${sum('problems')}, ${sum('reads')},
      round(sum(x.problems * x.share)) > 0 and sum(x.problems * x.share) >= sum(x.messages * x.share) as all_failed from (
      select messages, problems, reads, case hour when ${current}::timestamptz then 1 else ${left}::numeric end as share
      from reader_hour
      where org_id = ${orgId} and reader_key = h.reader_key and antenna = ${WHOLE_READER}
        and hour in (${current}::timestamptz, ${before}::timestamptz)) x`
}
