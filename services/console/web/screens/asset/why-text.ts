import type { SeenAt, Sighting } from './sightings.ts'

/** A part of a text: words, an instant, or a name with a link to its screen. */
export type Part = string | { at: string } | { to: string; name: string }

type Read = Sighting & { reader: NonNullable<Sighting['reader']> }

const isRead = (sighting: Sighting): sighting is Read => sighting.reader !== null

/** Says in sentences what decided the location of a sighting, as recorded. What is not known is not said. */
export function whyText(sighting: Sighting): Part[] {
  if (!isRead(sighting))
    return ['This location was saved ', { at: sighting.observed_at }, ', in an inventory or with the data of the asset. No reader decided it.'] // oxfmt-ignore
  const { tag, observed_at: at } = sighting
  const what = tag === null ? 'It' : `Tag ${tag.value}`
  return [`${what} was read by `, ...byWhom(sighting), ', ', { at }, '. ', ...decision(sighting)]
}

/** The same in few words, without the tag, for lists. */
export const sourceText = (sighting: Sighting): Part[] =>
  isRead(sighting) ? ['Read by ', ...byWhom(sighting), decisionInShort(sighting)] : ['Saved, not read']

const byWhom = ({ reader: { id, name, reader_key: key }, antenna }: Read): Part[] => [
  id === null ? key : { to: `/readers/${id}`, name: name ?? key },
  antenna === null ? '' : `, antenna ${antenna}`,
]

function decisionInShort({ decided_by: by, location_key: key, scan_point: point }: Read): string {
  if (by === 'location_key') return `; the message named “${key}”`
  if (by !== 'scan_point') return '; what decided was not recorded'
  return point === null ? '; scan point removed since' : `; scan point “${point.name}”`
}

function decision(sighting: Read): Part[] {
  if (sighting.decided_by === 'location_key') return [...byKey(sighting), ...unconfigured(sighting)]
  if (sighting.decided_by === 'scan_point') return byScanPoint(sighting)
  return ['What decided the location was not recorded, because an earlier release stored this read.']
}

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
