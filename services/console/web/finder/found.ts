import { unwrap } from '@whereabouts/client/client'
import { lookUp } from '../parts/lookups.ts'
import { api } from '../session/api.ts'
import { type Found, NOTHING } from './hits.ts'

/** From here the indexes of the API find parts of words: one or two characters would read all rows. */
const MIN_CHARACTERS = 3

const SHOWN = 6

/** What has the text in its name, key or tags. */
export async function findParts(text: string, signal?: AbortSignal): Promise<Found> {
  if (text.length < MIN_CHARACTERS) return NOTHING
  const query = { q: text, limit: SHOWN, sort: 'name' }
  const [assets, locations, readers] = await Promise.all([
    api.GET('/api/v1/assets', { params: { query }, signal }),
    api.GET('/api/v1/locations', { params: { query }, signal }),
    api.GET('/api/v1/readers', { params: { query: { ...query, configured: true } }, signal }),
  ])
  return {
    ...NOTHING,
    assets: unwrap(assets).data,
    locations: unwrap(locations).data,
    readers: unwrap(readers).data,
  }
}

/** What a scan of the value would find. */
export const findNamed = async (value: string) => (await lookUp([value])).get(value) ?? []
