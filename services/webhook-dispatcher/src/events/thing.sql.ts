import { sql, type RawBuilder } from 'kysely'

/** What an event is about: the order of its events is kept (D13.4). `data`: a column with the data of an event. */
export const thingOf = (data: RawBuilder<unknown>): RawBuilder<string | null> => sql`
  case when ${data} -> 'asset' ->> 'id' is not null then 'asset ' || (${data} -> 'asset' ->> 'id')
    when ${data} -> 'location' ->> 'id' is not null then 'location ' || (${data} -> 'location' ->> 'id')
    when ${data} -> 'reader' ->> 'id' is not null then 'reader ' || (${data} -> 'reader' ->> 'id') end`
