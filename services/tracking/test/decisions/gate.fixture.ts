import { dateChanges, message } from '../ingest/warehouse.fixture.ts'
import type { SightingRow } from '@whereabouts/contracts/resources/tracking/sightings'
import type { NeutralRead } from '../../src/formats/decoder.ts'
import { ingestConsumer } from '../../src/ingest/ingest.consumer.ts'
import type { ReaderMessage } from '../../src/ingest/reads/reader-message.ts'
import { RecentMinutes } from '../../src/ingest/places/recent-minutes.ts'
import type { Tracking } from '../tracking.fixture.ts'
import { ANTENNAS, ASSETS, type Choice, type ChosenRead } from './choices.ts'
import { UNKNOWN_KEY, type Row, type World } from './reference.ts'

/** A whole minute of the recent past. The instants of a run count from here. */
const HOUR_MS = 3_600_000
const ZERO = Math.floor(Date.now() / 60_000) * 60_000 - HOUR_MS
const READER = 'gate'
const BEACON = 'F7826DA6-4FA2-4E98-8024-BC5B71E0893E'
const YESTERYEAR = '2021-01-01T00:00:00.000Z'
const context = { signal: new AbortController().signal, working: () => undefined }

/** The real service in the state of `world`. Each run has its own organization; all have a reader of the same key. */
export async function openGate(tracking: Tracking, orgId: number, world: World) {
  const { catalog, clock, ingest } = tracking
  const assets = Array.from({ length: ASSETS }, (_, i) => catalog.asset(orgId, `Asset ${i}`))
  const places = world.keys.map((key, i) => catalog.location(orgId, `Place ${i}`, { external_key: key }))
  // Read by `toRead`: an exact match, which beats an older tolerant one; a tolerant match; an iBeacon.
  const tags = assets.map((asset, i) => {
    catalog.tag(asset, `e2-80:0${i}`)
    const beacon = `${BEACON.toLowerCase()}/${i}/7`
    const exact = catalog.tag(asset, `E2800${i}`, { created_at: YESTERYEAR })
    return [exact, catalog.tag(asset, `aa:b${i}`), catalog.tag(asset, beacon, { tag_type: 'ble' })]
  })
  await tracking.project()

  const call = async (method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, body?: unknown) => {
    const res = await tracking.call(method, path, { orgId, ...(body !== undefined && { body }) })
    if (res.statusCode >= 300) throw new Error(`${method} ${path}: ${res.body}`)
    return res.body === '' ? undefined : res.json()
  }
  const reader = (await call('POST', '/readers', { reader_key: READER, name: 'Gate', format: 'canonical' }))
    .data
  const points = `/readers/${reader.id}/scan-points`
  const placeId = (place: number | null) => (place === null ? null : (places[place]?.id ?? 0))
  /** The id of each scan point that there was, by its number. */
  const pointIds: number[] = []
  const createPoint = async (antenna: number, place: number | null) => {
    const made = await call('POST', points, { antenna, name: 'point', location_id: placeId(place) })
    pointIds.push(made.data.id)
  }
  for (let antenna = 1; antenna <= ANTENNAS; antenna += 1)
    await createPoint(antenna, world.points.get(antenna)?.place ?? null)
  await dateChanges(tracking, ZERO - HOUR_MS, orgId)
  const pathOf = (antenna: number) => `${points}/${pointIds[world.points.get(antenna)?.point ?? 0]}`

  const toMessage = (reads: readonly ChosenRead[]): ReaderMessage => {
    const whole = { identity: null, health: [], errors: [], errors_omitted: 0, isDeadLetter: false }
    const decoded = { ...whole, reads: reads.map((read) => toRead(read, world)) }
    return { orgId, readerKey: READER, receivedAtMs: ZERO + 600_000, decoded, received: message(orgId, []) }
  }

  /** Call before `world` changes. */
  async function take(choice: Choice): Promise<void> {
    switch (choice.do) {
      case 'read': {
        const recent = choice.isOtherReplica ? new RecentMinutes() : ingest.recent
        await ingestConsumer({ ...ingest, recent }).handle(choice.messages.map(toMessage), context)
        return
      }
      case 'save':
        clock.stoppedAt = ZERO + choice.at
        return call('POST', '/inventory/save', {
          asset_identifiers: choice.assets.map((asset) => assets[asset]?.external_key),
          location_identifier: world.keys[choice.place],
        })
      case 'rename': {
        const location = places[choice.place]
        if (location) catalog.change(location, { external_key: `${location.external_key}-X` })
        return tracking.project()
      }
      case 'assign':
        await call('PATCH', pathOf(choice.antenna), {
          location_id: placeId(choice.place),
          ...bothNull(choice.place),
        })
        return dateChanges(tracking, ZERO + world.changedAt + choice.after, orgId)
      case 'replace':
        await call('DELETE', pathOf(choice.antenna))
        await createPoint(choice.antenna, choice.place)
        return dateChanges(tracking, ZERO + world.changedAt + choice.after, orgId)
    }
  }

  const pointNow = (point: number) => {
    const now = [...world.points.values()].find((other) => other.point === point)
    return now ? { id: pointIds[point], location: placeId(now.place) } : null
  }

  return {
    take,
    /** What the API says of the rows of each asset. */
    said: () =>
      Promise.all(
        assets.map(async ({ id }) => {
          const { data }: { data: SightingRow[] } = await call('GET', `/assets/${id}/sightings?limit=200`)
          return data.map((row) => ({
            at: Date.parse(row.observed_at) - ZERO,
            place: row.location?.id ?? null,
            decided_by: row.decided_by,
            location_key: row.location_key,
            tag: row.tag?.id ?? null,
            scan_point: row.scan_point && {
              id: row.scan_point.id,
              location: row.scan_point.location?.id ?? null,
            },
            reader: row.reader?.id ?? null,
          }))
        }),
      ),
    /** What the reference says of them. */
    expected: () =>
      world.rows.map((rows, asset) =>
        [...rows.values()]
          .toSorted((a, b) => b.at - a.at)
          .map((row: Row) => ({
            at: row.at,
            place: placeId(row.place),
            decided_by: row.by,
            location_key: row.by === 'location_key' ? row.key : null,
            tag: row.by === 'save' ? null : (tags[asset]?.[row.tag]?.id ?? null),
            scan_point: row.by === 'scan_point' ? pointNow(row.point) : null,
            reader: row.by === 'save' ? null : reader.id,
          })),
      ),
  }
}

/** A location is removed with both fields (D5.3). */
const bothNull = (place: number | null) => place === null && { location_external_key: null }

function toRead({ asset, tag, antenna, names, at }: ChosenRead, { keys }: World): NeutralRead {
  const values = [`E2800${asset}`, `AAB${asset}`, 'C0FFEE000001']
  const beacon = tag === 2 && { ibeacon: { uuid: BEACON, major: asset, minor: 7 } }
  return {
    antenna: antenna === 0 ? ANTENNAS + 1 : antenna,
    tag_type: tag === 2 ? 'ble' : 'rfid',
    tag_value: values[tag] ?? '',
    rssi_dbm: null,
    read_count: 1,
    read_at_ms: ZERO + at,
    extra: { ...beacon, ...(names !== null && { location: keys[names] ?? UNKNOWN_KEY }) },
  }
}
