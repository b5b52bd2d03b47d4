import type { components } from '@whereabouts/client/client'

export type Sighting = components['schemas']['Sighting']
export type SeenAt = NonNullable<Sighting['location']>

/** The place where it was read last in the minute of its newest row, if that is another one. */
export type Waiting = { location: SeenAt | null; at: string }

/** A time at one location without sightings at others. */
export type Dwell = {
  location: SeenAt | null
  from: string
  lastSeen: string
  /** First sighting elsewhere; null for the current dwell. */
  until: string | null
  sightings: number
  /** The sighting that began it. */
  first: Sighting
}

/** Groups consecutive sightings at one location, newest first, into dwells. */
export function dwellsOf(sightings: readonly Sighting[]): Dwell[] {
  const dwells: Dwell[] = []
  for (const sighting of sightings) {
    const newer = dwells.at(-1)
    if (newer && newer.location?.id === sighting.location?.id) {
      newer.from = sighting.observed_at
      newer.first = sighting
      newer.sightings += 1
    } else {
      dwells.push({
        location: sighting.location,
        from: sighting.observed_at,
        lastSeen: sighting.observed_at,
        until: newer?.from ?? null,
        sightings: 1,
        first: sighting,
      })
    }
  }
  return dwells
}

/** Duration until the first sighting elsewhere, or until the last sighting here. */
export const secondsOf = ({ from, until, lastSeen }: Dwell): number =>
  Math.max(0, (Date.parse(until ?? lastSeen) - Date.parse(from)) / 1000)

export const locationText = (location: SeenAt | null): string =>
  location === null ? 'No location' : (location.name ?? 'Deleted location')
