import type { Observation } from './observation.ts'

/** Reads of one asset that are closer to each other are one sighting. */
const ONE_SIGHTING_MS = 1_000

/**
 * Of the reads of a message, in the order of arrival: where antennas saw one asset within a second, the strongest comes
 * first (D18.7 f). A read without a strength is the weakest. The weaker ones elsewhere are part of the same sighting: they
 * are kept only where strengths decide (`keepsAll`), because otherwise the last of them would be another place.
 */
export function strongestFirst(reads: readonly Observation[], keepsAll: boolean): Observation[] {
  return [...Map.groupBy(reads, ({ assetId }) => assetId).values()].flatMap((own) =>
    own.length === 1 ? own : sightingsOf(own).flatMap((sighting) => ordered(sighting, keepsAll)),
  )
}

/** Groups of reads within a second of the first one that arrived. */
function sightingsOf(reads: readonly Observation[]): Observation[][] {
  const sightings: Observation[][] = []
  for (const read of reads) {
    const near = sightings.find(([first]) => first && isNear(first, read))
    if (near) near.push(read)
    else sightings.push([read])
  }
  return sightings
}

const isNear = (a: Observation, b: Observation) =>
  Math.abs(a.observedAtMs - b.observedAtMs) <= ONE_SIGHTING_MS

function ordered(sighting: readonly Observation[], keepsAll: boolean): Observation[] {
  const placed = sighting.filter(({ locationId }) => locationId !== null)
  const [first, ...others] = placed.length > 0 ? placed : sighting
  if (first === undefined) return []
  let strongest = first
  for (const read of others) if (strengthOf(read) > strengthOf(strongest)) strongest = read
  const rest = sighting.filter(
    (read) => read !== strongest && (keepsAll || read.locationId === strongest.locationId),
  )
  return [strongest, ...rest]
}

const strengthOf = ({ rssi }: Observation) => rssi ?? -Infinity
