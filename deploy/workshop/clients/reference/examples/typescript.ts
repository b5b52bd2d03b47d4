// The examples of docs/clients/typescript.md: each region is one.
import { createWriteStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { createWhereabouts, unwrap, type Event, type Whereabouts } from '@whereabouts/client'
import { cursorFile } from '@whereabouts/client/events'
import { testDouble } from '@whereabouts/client/testing'
import {
  isAssetMoved,
  standardWebhookSignature,
  verifyWebhook,
  webhookSignature,
} from '@whereabouts/client/webhooks'

type Env = Record<'BASE' | 'CLIENT_ID' | 'CLIENT_SECRET', string>

export function starting(env: Env): Whereabouts {
  //#region createWhereabouts
  const whereabouts = createWhereabouts({
    baseUrl: env.BASE,
    clientId: env.CLIENT_ID,
    clientSecret: env.CLIENT_SECRET,
    userAgent: 'my-warehouse/1.0',
  })
  //#endregion
  return whereabouts
}

export async function calling(whereabouts: Whereabouts, handle: (event: Event) => void): Promise<void> {
  //#region api
  const { data } = unwrap(
    await whereabouts.api.GET('/api/v1/assets/{asset_id}', {
      params: { path: { asset_id: 4503599627370577 } },
    }),
  )
  console.log(data.name)
  //#endregion
  //#region unwrap
  const page = unwrap(await whereabouts.api.GET('/api/v1/assets', { params: { query: { limit: 10 } } }))
  console.log(page.total_count)
  //#endregion
  //#region rows
  for await (const row of whereabouts.rows('/api/v1/reports/asset-locations'))
    console.log(row.asset_external_key, row.location_external_key)
  //#endregion
  //#region upsertAsset
  const tags = [{ tag_type: 'rfid' as const, value: 'E2801160600002AA17' }]
  const { outcome } = await whereabouts.upsertAsset('PUMP-17', { name: 'Pump 17', tags })
  console.log(outcome)
  //#endregion
  //#region upsertLocation
  await whereabouts.upsertLocation('DOCK-1', { name: 'Dock 1', parent_external_key: 'HALL' })
  //#endregion
  //#region assets.sync
  const items = [{ external_key: 'PUMP-17', name: 'Pump 17', tags }]
  const synced = await whereabouts.assets.sync(items, { retire: { atMost: 20 } })
  console.log(synced.created, synced.updated, synced.failures)
  //#endregion
  //#region locations.sync
  const hall = { external_key: 'HALL', name: 'Hall' }
  await whereabouts.locations.sync([
    hall,
    { external_key: 'DOCK-1', name: 'Dock 1', parent_external_key: 'HALL' },
  ])
  //#endregion
  //#region saveInventory
  const saved = await whereabouts.saveInventory(['PUMP-17', 'PUMP-18'], 'DOCK-1')
  console.log(saved.count)
  //#endregion
  //#region exports.create
  const begun = await whereabouts.exports.create({
    dataset: 'history',
    format: 'parquet',
    from: '2026-11-20T00:00:00Z',
  })
  //#endregion
  //#region exports.wait
  const { files } = await whereabouts.exports.wait(begun.id, {
    onProgress: ({ progress }) => console.log(progress),
  })
  //#endregion
  //#region exports.download
  for (const file of files) await pipeline(whereabouts.exports.download(file), createWriteStream(file.name))
  //#endregion
  //#region exports.get
  const { status } = await whereabouts.exports.get(begun.id)
  console.log(status)
  //#endregion
  //#region exports.list
  for (const { dataset, progress } of await whereabouts.exports.list()) console.log(dataset, progress)
  //#endregion
  //#region exports.delete
  await whereabouts.exports.delete(begun.id) // its files count against export_bytes
  //#endregion
  //#region movements
  for await (const { asset, to_location } of whereabouts.movements({ from: '2026-11-21T00:00:00Z' }))
    console.log(asset.external_key, to_location.external_key)
  //#endregion
  //#region events.consume
  await whereabouts.events.consume({ store: cursorFile('cursor.txt'), onEvent: handle })
  //#endregion
}

export async function following(whereabouts: Whereabouts): Promise<void> {
  //#region follow
  const stop = new AbortController()
  for await (const { asset, to_location } of whereabouts.follow({ signal: stop.signal }))
    console.log(asset.external_key, to_location.external_key)
  //#endregion
}

export async function copying(whereabouts: Whereabouts): Promise<void> {
  //#region events.cursor
  const cursor = await whereabouts.events.cursor()
  for await (const asset of whereabouts.rows('/api/v1/assets')) console.log(asset.external_key)
  await cursorFile('cursor.txt').write(cursor) // what happened meanwhile comes again
  //#endregion
}

export function keeping(whereabouts: Whereabouts): Promise<never> {
  //#region cursorFile
  const store = cursorFile('/var/lib/my-warehouse/cursor.txt')
  const ending = whereabouts.events.consume({ store, onEvent: ({ type, data }) => console.log(type, data) })
  //#endregion
  return ending
}

export async function receiving(rawBody: Uint8Array, headers: Headers, secret: string): Promise<void> {
  //#region verifyWebhook
  const event = await verifyWebhook(rawBody, headers, secret) // or [older, newer]
  console.log(event.event)
  //#endregion
  //#region isAssetMoved
  if (isAssetMoved(event)) console.log(event.data.asset.external_key, event.data.to_location.name)
  //#endregion
}

export async function signing(body: string, secret: string): Promise<void> {
  const id = '5f6c1b52-6f5b-5d0c-8a43-0d5f2c1a9e77'
  //#region standardWebhookSignature
  const timestamp = String(Math.floor(Date.now() / 1_000))
  const headers = {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': await standardWebhookSignature(body, id, timestamp, secret),
  }
  //#endregion
  console.log(headers)
  //#region webhookSignature
  const signature = await webhookSignature(body, timestamp, secret)
  console.log(signature.startsWith('sha256='))
  //#endregion
}

export async function testing(): Promise<void> {
  //#region testDouble
  const whereabouts = createWhereabouts(testDouble())
  await whereabouts.upsertLocation('DOCK-1', { name: 'Dock 1' })
  await whereabouts.upsertAsset('PUMP-17', { name: 'Pump 17' })
  await whereabouts.saveInventory(['PUMP-17'], 'DOCK-1')
  for await (const row of whereabouts.rows('/api/v1/reports/asset-locations'))
    console.log(row.location_external_key)
  //#endregion
}
