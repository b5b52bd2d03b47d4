import { sql, type RawBuilder } from 'kysely'

/**
 * A recursive table `name` whose largest `low` is the `seq` of the last event of the organization that was recorded within
 * `condition` (such as `<= now()`). Events are recorded in the order of `seq`, so each step halves what is left; no index
 * on time is needed. No rows if the organization has no events.
 */
export const recordedUntil = (
  name: string,
  orgId: number,
  condition: RawBuilder<unknown>,
): RawBuilder<unknown> => {
  const table = sql.ref(name)
  return sql`${table} (low, high) as (
    select removed_seq, seq from event_head where org_id = ${orgId}
    union all
    select case when next.is_within then next.seq else half.low end,
      case when next.is_within then half.high else half.mid end
    from (select low, high, (low + high) / 2 as mid from ${table} where low < high) half
    left join lateral (
      select e.seq, e.recorded_at ${condition} as is_within from event e
      where e.org_id = ${orgId} and e.seq > half.mid and e.seq <= half.high order by e.seq limit 1
    ) next on true
  )`
}

export const lastOf = (name: string): RawBuilder<number> =>
  sql`(select coalesce(max(low), 0) from ${sql.ref(name)})`
