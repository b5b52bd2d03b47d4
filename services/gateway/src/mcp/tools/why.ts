import type { SightingRow } from '@whereabouts/contracts/resources/tracking/sightings'
import { z } from 'zod'
import { findAsset, reference } from '../resolve.ts'
import { Instant, MaybeInstant, Place, ReaderUrl, Thing, withUrl, type Screens } from '../rows.ts'
import { tool } from '../tool.ts'

const Sighting = z.object({
  at: Instant,
  location: Place,
  decided_by: z
    .string()
    .nullable()
    .describe(
      '`scan_point`: the location of the antenna. `location_key`: a location that the message named. `save`: a person saved it there. ' +
        '`outvoted`: only weaker reads of other places, so it stayed.',
    ),
  reader: z.object({ reader_key: z.string(), name: z.string().nullable(), url: ReaderUrl }).nullable(),
  antenna: z.int().nullable(),
  tag: z.object({ tag_type: z.string(), value: z.string() }).nullable(),
  outvoted: z
    .array(z.object({ location: Place, reader_key: z.string(), rssi: z.number().nullable(), reads: z.int() }))
    .describe('Reads at other places that were set aside, the strongest first.'),
  carried_from: MaybeInstant.describe('When it was read, if that was in the minute before.'),
})

export const whyIsItHere = tool({
  name: 'why_is_it_here',
  title: 'Why is it here?',
  description:
    'Explains the position of one asset: which reader and antenna saw which of its tags when, and which reads of other places were set aside. The newest first.',
  needs: ['listAssets', 'listSightings'],
  input: z.strictObject({ ...reference('asset'), limit: z.int().min(1).max(10).default(3) }),
  output: z.object({
    asset: Thing,
    sightings: z.array(Sighting),
    waiting: z
      .object({ location: Place, at: Instant })
      .nullable()
      .describe('Where it was read last in the minute of the newest row, if that is another place.'),
  }),
  async run({ limit, ...sent }, { read, screens }) {
    const asset = await findAsset(read, sent)
    const { data, waiting } = await read('listSightings', {
      params: { asset_id: asset.id },
      query: { limit },
    })
    return {
      asset: withUrl(asset, screens.asset),
      sightings: data.map((row) => sightingOf(row, screens)),
      waiting: waiting && { location: seenAt(waiting.location, screens), at: waiting.at },
    }
  },
})

const seenAt = (location: SightingRow['location'], { location: screen }: Screens) =>
  location && withUrl(location, screen)

const sightingOf = (row: SightingRow, screens: Screens) => ({
  at: row.observed_at,
  location: seenAt(row.location, screens),
  decided_by: row.decided_by,
  reader: row.reader && {
    reader_key: row.reader.reader_key,
    name: row.reader.name,
    url: row.reader.id === null ? null : screens.reader(row.reader.id),
  },
  antenna: row.antenna,
  tag: row.tag && { tag_type: row.tag.tag_type, value: row.tag.value },
  outvoted: row.outvoted.map(({ location, reader_key, rssi, reads }) => ({
    location: seenAt(location, screens),
    reader_key,
    rssi,
    reads,
  })),
  carried_from: row.carried_from,
})
