// The same calls in each language of this folder. This one: openapi-typescript and openapi-fetch.
import createClient from 'openapi-fetch'
import type { paths } from './api.d.ts'

const {
  BASE: baseUrl = '',
  CLIENT_ID: client_id = '',
  CLIENT_SECRET: client_secret = '',
  KEY: key = '',
} = process.env
const api = createClient<paths>({ baseUrl, headers: { 'User-Agent': 'generator-trial/1' } })

function data<T>(answer: { data?: T; error?: unknown }): T {
  if (answer.data === undefined) throw new Error(JSON.stringify(answer.error))
  return answer.data
}

const token = data(
  await api.POST('/api/v1/oauth/token', {
    body: { grant_type: 'client_credentials', client_id, client_secret },
  }),
)
api.use({ onRequest: ({ request }) => request.headers.set('Authorization', `Bearer ${token.access_token}`) })
const created = data(
  await api.POST('/api/v1/assets', {
    body: {
      external_key: key,
      name: 'Generated',
      description: 'To be cleared',
      metadata: { maker: 'Linde' },
      tags: [{ tag_type: 'rfid', value: key }],
    },
  }),
).data
const params = { path: { asset_id: created.id } }
const place = data(
  await api.POST('/api/v1/locations', { body: { external_key: key, name: 'Generated' } }),
).data
try {
  const page = data(await api.GET('/api/v1/assets', { params: { query: { external_key: [key] } } }))
  const [listed] = page.data
  if (page.total_count !== 1 || listed?.tags[0]?.value !== key || listed.tags[0].epc !== null)
    throw new Error('listed otherwise')
  const headers = { 'Content-Type': 'application/merge-patch+json' }
  const cleared = data(
    await api.PATCH('/api/v1/assets/{asset_id}', { params, headers, body: { description: null } }),
  )
  if (cleared.data.description !== null || cleared.data.metadata['maker'] !== 'Linde')
    throw new Error('not cleared')
  const report = data(await api.GET('/api/v1/reports/asset-locations', { params: { query: { limit: 5 } } }))
  if (typeof report === 'string' || report.data.length > 5) throw new Error('not a page')
  await api.POST('/api/v1/inventory/save', { body: { asset_identifiers: [key], location_identifier: key } })
  const movements = data(
    await api.GET('/api/v1/movements', { params: { query: { asset_id: [created.id] } } }),
  ).data
  if (movements[0]?.from_location !== null || movements[0].to_location.id !== place.id)
    throw new Error('no first sighting')
} finally {
  await api.DELETE('/api/v1/locations/{location_id}', { params: { path: { location_id: place.id } } })
  await api.DELETE('/api/v1/assets/{asset_id}', { params })
}
console.log('calls ok')
