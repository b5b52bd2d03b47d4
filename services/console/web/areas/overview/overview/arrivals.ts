/** The last movement of an asset: it arrived somewhere. */
export type Arrival = {
  at: string
  asset: { id: number; name: string }
  location: { id: number; name: string }
}

/** Few enough to read at a glance. */
export const SHOWN_ARRIVALS = 6

/** The newest arrivals, newest first. Each asset is there once. */
export function newestArrivals(arrivals: readonly Arrival[]): Arrival[] {
  const newest = new Map<number, Arrival>()
  for (const arrival of arrivals) {
    const known = newest.get(arrival.asset.id)
    if (!known || Date.parse(arrival.at) >= Date.parse(known.at)) newest.set(arrival.asset.id, arrival)
  }
  return [...newest.values()].toSorted((a, b) => Date.parse(b.at) - Date.parse(a.at)).slice(0, SHOWN_ARRIVALS)
}
