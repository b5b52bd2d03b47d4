import type { ListedReader } from '@whereabouts/contracts/resources/tracking/readers'
import { ApiError } from './api.ts'
import type { SeedContext } from './seed-catalog.ts'
import type { PlannedAntenna, PlannedReader } from './warehouse.ts'

const AT_ONCE = 4
const PAGE = { limit: '200' }

/** Configures missing readers and their scan points. `places` are the keys of existing locations. */
export async function seedReaders(
  context: SeedContext,
  planned: PlannedReader[],
  places: ReadonlySet<string>,
): Promise<void> {
  const configured = await listConfigured(context)
  const missing = planned.filter(({ key }) => !configured.has(key))
  await forEachBounded(planned, AT_ONCE, async (reader) => {
    const id = configured.get(reader.key) ?? (await createReader(context, reader))
    const points = reader.antennas.filter(({ locationKey }) => places.has(locationKey))
    await seedScanPoints(context, id, points)
  })
  if (missing.length > 0) context.onProgress(`readers ${planned.length}/${planned.length}`)
}

/** Reader key → id. Discovered readers have none. */
async function listConfigured({ api, token }: SeedContext): Promise<Map<string, number>> {
  const { data } = await api('listReaders', { token, query: PAGE })
  return new Map(data.flatMap(keyWithId))
}

const keyWithId = (reader: ListedReader): [string, number][] =>
  reader.id === null ? [] : [[reader.reader_key, reader.id]]

async function createReader(context: SeedContext, { key, name, format }: PlannedReader): Promise<number> {
  const { api, token } = context
  try {
    const { data } = await api('createReader', { token, body: { reader_key: key, name, format } })
    if (data.id !== null) return data.id
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 409)) throw error
  }
  // Created by a first attempt whose response was lost.
  const id = (await listConfigured(context)).get(key)
  if (id === undefined) throw new Error(`reader ${key} was created but is not listed`)
  return id
}

async function seedScanPoints(
  { api, token }: SeedContext,
  readerId: number,
  planned: PlannedAntenna[],
): Promise<void> {
  const params = { reader_id: readerId }
  const { data } = await api('listScanPoints', { token, params, query: PAGE })
  const known = new Set(data.map(({ antenna }) => antenna))
  const missing = planned.filter(({ antenna }) => !known.has(antenna))
  await forEachBounded(missing, AT_ONCE, async ({ antenna, name, locationKey }) => {
    const body = { antenna, name, location_external_key: locationKey }
    try {
      await api('createScanPoint', { token, params, body })
    } catch (error) {
      if (!(error instanceof ApiError && error.status === 409)) throw error // a lost response, as above
    }
  })
}

/** Runs `work` on every item, at most `limit` at a time, in order of start. Rejects at the first failure. */
async function forEachBounded<T>(
  items: readonly T[],
  limit: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const rest = items.values()
  let failed = false
  const takeNext = async (): Promise<void> => {
    const { done, value } = rest.next()
    if (done || failed) return
    try {
      await work(value)
    } catch (error) {
      failed = true // the others finish their current item
      throw error
    }
    await takeNext()
  }
  await Promise.all(Array.from({ length: limit }, takeNext))
}
