import { createClient, unwrap, type Client } from '@whereabouts/client/client'
import { setTimeout as wait } from 'node:timers/promises'

export type Login = { email: string; password: string; token: string }

const FILE_ROWS = 100_000
const LOCATIONS = 100
/** So many have been seen somewhere. */
const PLACED = 20_000
const SAVED_AT_ONCE = 1_000

/** Assets with a tag each by CSV, and locations at which a part of them is. */
export async function fillAssets(baseUrl: string, { token }: Login, assets: number): Promise<void> {
  const client = createClient({ baseUrl, token })
  for (let from = 0; from < assets; from += FILE_ROWS)
    await importFile(client, { baseUrl, token }, fileOf(from, Math.min(assets, from + FILE_ROWS)))
  for (let at = 0; at < LOCATIONS; at += 1)
    unwrap(
      await client.POST('/api/v1/locations', { body: { name: `Hall ${at}`, external_key: `HALL-${at}` } }),
    )
  for (let from = 0; from < Math.min(PLACED, assets); from += SAVED_AT_ONCE) {
    const keys = Array.from({ length: Math.min(SAVED_AT_ONCE, assets - from) }, (_, i) => keyOf(from + i))
    const body = {
      asset_identifiers: keys,
      location_identifier: `HALL-${(from / SAVED_AT_ONCE) % LOCATIONS}`,
    }
    unwrap(await client.POST('/api/v1/inventory/save', { body }))
  }
}

export const keyOf = (number: number): string => `PALLET-${String(number).padStart(6, '0')}`

function fileOf(from: number, to: number): string {
  const rows = Array.from({ length: to - from }, (_, i) => {
    const number = from + i
    return `${keyOf(number)},Pallet ${number},${(0xe280_0000_0000 + number).toString(16).toUpperCase()}`
  })
  return ['external_key,name,rfid', ...rows].join('\n')
}

type Caller = { baseUrl: string; token: string }

async function importFile(client: Client, { baseUrl, token }: Caller, body: string): Promise<void> {
  const answer = await fetch(`${baseUrl}/api/v1/imports?resource=assets`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'text/csv',
      'user-agent': 'whereabouts-bench/1',
    },
    body,
  })
  if (!answer.ok) throw new Error(`the import was answered ${answer.status}`)
  const { data } = (await answer.json()) as { data: { id: number } }
  const params = { path: { import_id: data.id } }
  for (;;) {
    const { state, failed } = unwrap(await client.GET('/api/v1/imports/{import_id}', { params })).data
    if (failed > 0) throw new Error(`${failed} rows failed`)
    if (state === 'done') return
    await wait(200)
  }
}
