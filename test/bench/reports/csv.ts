import type { Stack } from '@whereabouts/deploy/local/stack'
import { headersSignedWith } from '@whereabouts/testing/caller'
import { ORG_ID } from './catalog-fill.ts'
import { median } from '../load/figures.ts'

const [ROWS, PAGE, ROUNDS] = [10_000, 200, 3]

/** Reads the first 10 000 rows of the report as CSV, page by page. Returns a line of text. */
export async function measureCsv(stack: Stack): Promise<string> {
  const rounds: Read[] = []
  for (let round = 0; round < ROUNDS; round += 1) rounds.push(await readCsv(stack))
  const of = (pick: (round: Read) => number, digits: number) => median(rounds.map(pick)).toFixed(digits)
  const { rows } = rounds[0] ?? { rows: 0 }
  return `\nCSV: ${rows} rows of the report in pages of ${PAGE}: first byte after ${of((r) => r.firstByteMs, 1)} ms, all of them after ${of((r) => r.totalMs, 0)} ms\n`
}

type Read = { rows: number; firstByteMs: number; totalMs: number }

async function readCsv(stack: Stack): Promise<Read> {
  const principal = { kind: 'key' as const, orgId: ORG_ID, scopes: [], keyId: 'bench' }
  const signed = await headersSignedWith(stack.secrets.principal_private_key, principal, 'tracking')
  const headers = { ...signed, accept: 'text/csv' }
  const started = performance.now()
  let [rows, firstByteMs] = [0, Number.NaN]
  for (let offset = 0; offset < ROWS; offset += PAGE) {
    const path = `/api/v1/reports/asset-locations?limit=${PAGE}&offset=${offset}`
    const response = await fetch(`${stack.urls.api.tracking}${path}`, { headers })
    if (!response.ok) throw new Error(`${path} answered ${response.status}`)
    if (offset === 0) firstByteMs = performance.now() - started
    rows += (await response.text()).split('\r\n').length - 2 // without the header and the end of the last row
  }
  return { rows, firstByteMs, totalMs: performance.now() - started }
}
