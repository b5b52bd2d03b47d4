import { sql, type RawBuilder } from 'kysely'
import type { Filter, Retry } from '../db.ts'

/** What a person decides about a webhook besides its URL and toggle (D13.4, D13.9). */
export type Settings = {
  event_types?: string[] | undefined
  retry?: Retry | undefined
  filter?: Filter | null | undefined
}
export type Changes = Settings & { url?: string | undefined; enabled?: boolean | undefined }

const MOVES = 'asset.moved'

/**
 * The columns of a change. Switching on starts again with what is recorded from now on, as if the webhook were new. A
 * position stands still while no type needs it. So the first type that needs it begins at the newest event: nothing is
 * sent from before.
 */
export function changedColumns(orgId: number, changes: Changes) {
  const { enabled, event_types: types } = changes
  const isOn = enabled === undefined ? sql`enabled` : sql`${enabled}::boolean`
  const afterSwitch = <T>(value: RawBuilder<unknown>, otherwise: RawBuilder<unknown>) =>
    sql<T>`case when ${isOn} and not enabled then ${value} else ${otherwise} end`
  const newest = sql`(select coalesce(max(seq), 0) from event_head where org_id = ${orgId})`
  const position = (column: string, wants: boolean | undefined, wanted: RawBuilder<unknown>) =>
    afterSwitch<number | null>(
      sql`null`,
      wants === true ? sql`case when ${wanted} then ${sql.ref(column)} else ${newest} end` : sql.ref(column),
    )
  const wantsOthers = types?.some((type) => type !== MOVES)
  return {
    ...changes,
    enabled_at: afterSwitch<string>(sql`greatest(clock_timestamp(), enabled_at)`, sql`enabled_at`),
    moves_position: position('moves_position', types?.includes(MOVES), sql`${MOVES} = any(event_types)`),
    others_position: position('others_position', wantsOthers, sql`not event_types <@ array[${MOVES}]`),
    // The process that makes its deliveries knows the positions of before.
    claimed_by: afterSwitch<string | null>(sql`null`, sql`claimed_by`),
    claimed_until: afterSwitch<string | null>(sql`null`, sql`claimed_until`),
    failures: afterSwitch<number>(sql`0`, sql`failures`),
    failing_since: afterSwitch<string | null>(sql`null`, sql`failing_since`),
    health: afterSwitch<'ok' | 'failing'>(sql`'ok'`, sql`health`),
    disabled_because: sql<'failing' | null>`case when ${isOn} = enabled then disabled_because end`,
  }
}
