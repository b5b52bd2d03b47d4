import type { components } from '@whereabouts/client/client'

export type Sighting = components['schemas']['Sighting']
export type SeenAt = NonNullable<Sighting['location']>

/** A time at one place without having been seen elsewhere meanwhile. */
export type Stay = {
  location: SeenAt | null
  from: string
  lastSeen: string
  /** When it was first seen elsewhere; null for the stay that lasts. */
  until: string | null
  sightings: number
  /** What began it. */
  first: Sighting
}

/** Consecutive sightings at one location are one stay. Newest first, as they come. */
export function staysOf(sightings: readonly Sighting[]): Stay[] {
  const stays: Stay[] = []
  for (const sighting of sightings) {
    const newer = stays.at(-1)
    if (newer && newer.location?.id === sighting.location?.id) {
      newer.from = sighting.observed_at
      newer.first = sighting
      newer.sightings += 1
    } else {
      stays.push({
        location: sighting.location,
        from: sighting.observed_at,
        lastSeen: sighting.observed_at,
        until: newer?.from ?? null,
        sightings: 1,
        first: sighting,
      })
    }
  }
  return stays
}

/** How long: to the first sighting elsewhere, or as far as is known. */
export const secondsOf = ({ from, until, lastSeen }: Stay): number =>
  Math.max(0, (Date.parse(until ?? lastSeen) - Date.parse(from)) / 1000)

export const locationText = (location: SeenAt | null): string =>
  location === null ? 'At no location' : (location.name ?? 'A deleted location')
