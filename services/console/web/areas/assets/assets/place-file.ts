import { unwrap } from '@whereabouts/client/client'
import { client } from '../../../session/api.ts'
import { placeQueryOf, type List } from './by-place.ts'

const PAGE = 200
/** Each page costs the rows before it. */
export const MOST_ROWS = 50_000
/** As in all CSV files: without it, Excel does not read UTF-8. Reading a response as text removes it. */
const BYTE_ORDER_MARK = '\uFEFF'

/** The report of an instant, which does not change between its pages, as the API writes it. */
export async function placeFile(
  list: List,
  signal: AbortSignal,
  onBytes: (bytes: number) => void,
): Promise<File> {
  const parts: string[] = [BYTE_ORDER_MARK]
  let bytes = 0
  for (let offset = 0, total = 1; offset < total; offset += PAGE) {
    const params = { query: { ...placeQueryOf(list), limit: PAGE, offset } }
    const headers = { accept: 'text/csv' }
    const answer = await client.GET('/api/v1/reports/asset-locations', {
      params,
      headers,
      signal,
      parseAs: 'text',
    })
    const text: string = unwrap(answer as { data?: string; error?: unknown; response: Response })
    total = Number(answer.response.headers.get('x-total-count') ?? Number.NaN)
    if (Number.isNaN(total)) throw new Error('The answer has no number of rows')
    parts.push(offset === 0 ? text : text.slice(text.indexOf('\n') + 1)) // its heading has no line in quotes
    bytes += text.length
    onBytes(bytes)
  }
  return new File(parts, nameOf(list.at), { type: 'text/csv;charset=utf-8' })
}

/** A file of the past says so in its name. */
const nameOf = (at: string): string => `assets-as-of-${at.replaceAll(/[^\dTZ]+/g, '-')}.csv`
