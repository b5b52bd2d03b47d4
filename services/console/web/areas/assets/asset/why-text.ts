import type { SeenAt, Sighting, Waiting } from './sightings.ts'
import { shownValue } from '../../../parts/things/tag-values.ts'

/** A part of a text: words, an instant, or a name with a link to its screen. */
export type Part = string | { at: string; as?: 'clock' } | { to: string; name: string }

type Read = Sighting & { reader: NonNullable<Sighting['reader']> }

const isRead = (sighting: Sighting): sighting is Read => sighting.reader !== null

/** Says in sentences what decided the location of a sighting, as recorded. What is not known is not said. */
export function whyText(sighting: Sighting): Part[] {
  if (!isRead(sighting))
    return ['This location was saved ', { at: sighting.observed_at }, `, in an inventory or with the data of the asset. No reader decided it.${alsoHeard(sighting)}`] // oxfmt-ignore
  const { tag, observed_at, carried_from: from } = sighting
  const what = tag === null ? 'It' : `Tag ${shownValue(tag.value)}`
  const at = from ?? observed_at // a carried row begins after its read
  return [
    `${what} was read by `,
    ...byWhom(sighting),
    ', ',
    { at },
    '. ',
    ...decision(sighting),
    ...(from === null ? [] : [' The read is carried from ', clock(from), ', because the minute before has another location.']), // oxfmt-ignore
    alsoHeard(sighting),
  ]
}

/** The same in few words, without the tag, for lists. */
export function sourceText(sighting: Sighting): Part[] {
  if (!isRead(sighting)) return [`Saved, not read${alsoHeardInShort(sighting)}`]
  const { carried_from: from } = sighting
  return [
    'Read by ',
    ...byWhom(sighting),
    decisionInShort(sighting),
    ...(from === null ? [] : ['; carried from ', clock(from)]),
    alsoHeardInShort(sighting),
  ]
}

/**
 * Says where the asset was read after the read that decided its minute, and what ends the wait. `passages` is the setting of
 * the organization; undefined while it is not known.
 */
export function waitingText({ location, at }: Waiting, passages: string | undefined): Part[] {
  const place = location?.name ? { to: `/locations/${location.id}`, name: location.name } : nameOf(location)
  const end = passages === 'carry' ? 'A few seconds after the minute ends, it is carried there.' : 'It waits for the next observation.' // oxfmt-ignore
  return ['Last read at ', place, ' at ', clock(at), passages === undefined ? '.' : `. ${end}`]
}

const clock = (at: string): Part => ({ at, as: 'clock' })

const byWhom = ({ reader: { id, name, reader_key: key }, antenna }: Read): Part[] => [
  id === null ? key : { to: `/readers/${id}`, name: name ?? key },
  antenna === null ? '' : `, antenna ${antenna}`,
]

function decisionInShort({ decided_by: by, location_key: key, scan_point: point }: Read): string {
  if (by === 'location_key') return `; the message named “${key}”`
  if (by === 'outvoted') return '; not enough to move it'
  if (by !== 'scan_point') return '; what decided was not recorded'
  return point === null ? '; scan point removed since' : `; scan point “${point.name}”`
}

function decision(sighting: Read): Part[] {
  if (sighting.decided_by === 'location_key') return [...byKey(sighting), ...unconfigured(sighting)]
  if (sighting.decided_by === 'scan_point') return byScanPoint(sighting)
  if (sighting.decided_by === 'outvoted') return [notMoved(sighting)]
  return ['What decided the location was not recorded, because an earlier release stored this read.']
}

/** What else heard it in the minute, set aside for its strength. A read at the place itself never is the reason. */
const elsewhere = ({ location, outvoted }: Sighting) =>
  outvoted.filter((one) => one.location?.id !== location?.id)

const heardAt = ({ location, rssi }: Sighting['outvoted'][number]) =>
  `${nameOf(location)} (${rssi === null ? 'no strength' : strengthText(rssi)})`

const heardPlaces = (sighting: Sighting) => listed.format(elsewhere(sighting).map(heardAt))

function notMoved(sighting: Read): string {
  const place = sighting.location?.name ?? 'a location that was deleted since'
  const others = heardPlaces(sighting)
  return others === ''
    ? `The read was set aside: it stays at ${place}.`
    : `It was seen at ${others}, which is not enough to move it from ${place}.`
}

function alsoHeard(sighting: Sighting): string {
  const others = heardPlaces(sighting)
  return others === '' || sighting.decided_by === 'outvoted' ? '' : ` In the same minute, it was also heard at ${others}, which did not move it.` // oxfmt-ignore
}

function alsoHeardInShort(sighting: Sighting): string {
  const others = heardPlaces(sighting)
  if (others === '') return ''
  return sighting.decided_by === 'outvoted' ? `: ${others}` : `; also heard at ${others}`
}

const nameOf = (location: SeenAt | null): string =>
  location === null ? 'no location' : (location.name ?? 'a deleted location')

const listed = new Intl.ListFormat('en', { type: 'conjunction' })
/** `−70 dBm`. */
const strengthText = (dbm: number) => `${String(Math.round(dbm)).replace('-', '−')} dBm`

const unconfigured = ({ reader: { id, reader_key: key } }: Read): Part[] =>
  id === null ? [` Reader ${key} is not configured.`] : []

function byKey({ location_key: key, location }: Read): Part[] {
  const named = `The message named the location “${key}”`
  if (!location?.name) return [`${named}, which was deleted since.`]
  if (location.external_key === key) return [`${named}, which is ${location.name}.`]
  return [`${named}, the key of ${location.name} then. Its key is “${location.external_key}” now.`]
}

function byScanPoint({ scan_point: point, location: then, reader }: Read): Part[] {
  const removed = reader.id === null ? `Reader ${reader.reader_key}` : 'The scan point'
  if (point === null) return [`The scan point of the antenna ${past(then)}. ${removed} was removed since.`]
  const { location: now, name } = point
  const scanPoint = `Scan point “${name}”`
  if (then?.id === now?.id) return [`${scanPoint} ${unchanged(now)}.`]
  return [`${scanPoint} ${past(then)} and `, ...present(now), ' now.']
}

/** A scan point gives no location if it has none, and if its location is deleted. */
const past = (location: SeenAt | null): string =>
  location === null
    ? 'gave no location then'
    : `was assigned to ${location.name ?? 'a location that was deleted since'} then`

const unchanged = (location: SeenAt | null): string => {
  if (location === null) return 'has no location'
  return location.name === null
    ? 'is assigned to this location, which was deleted since'
    : `is assigned to ${location.name}`
}

/** A link, because it is another location than the one that the screen shows. */
function present(location: SeenAt | null): Part[] {
  if (location === null) return ['has no location']
  const { id, name } = location
  return ['is assigned to ', name === null ? 'a deleted location' : { to: `/locations/${id}`, name }]
}
