import { randomUUID } from 'node:crypto'
import { describe, expect } from 'vitest'
import { test } from './support/fixtures.ts'
import { newWorld } from './support/world.ts'

describe('D10 readers and scan points', () => {
  test('D10 a new reader is listed and has sent nothing yet', async ({ api, newOrg }) => {
    const { admin: token } = await newOrg()
    const body = { reader_key: 'dock-1', name: 'Dock 1', format: 'impinj' }
    const created = await api.call('createReader', { token, body })
    const { data } = created.body
    expect(data).toMatchObject({ ...body, configured: true, health: { last_seen_at: null, messages: 0 } })
    expect(created.headers.get('location')).toBe(`/api/v1/readers/${data.id}`)
    const { mapping: _, ...listed } = data
    expect((await api.call('listReaders', { token })).body.data).toEqual([listed])
  })

  test('D10 the health of a reader shows when it was heard and what it sent', async ({ api }) => {
    const { org } = await newWorld(api)
    const health = async () => (await api.call('listReaders', { token: org.admin })).body.data[0]?.health
    await expect
      .poll(health, { timeout: 5_000 })
      .toMatchObject({ last_seen_at: expect.any(String), messages: 1, reads: 2, reads_unknown_tag: 1 })
  })

  test('D10 scan points belong to their reader and are deleted with it', async ({ api, org }) => {
    const token = org.admin
    const reader = { reader_key: randomUUID(), name: 'Gate', format: 'canonical' }
    const { data } = (await api.call('createReader', { token, body: reader })).body
    const call = { token, params: { reader_id: data.id ?? 0 } }
    const { data: location } = (await api.call('createLocation', { token, body: { name: 'Dock' } })).body
    const made = await api.call('createScanPoint', {
      ...call,
      body: { antenna: 2, name: 'In', location_id: location.id },
    })
    const point = {
      id: expect.any(Number),
      antenna: 2,
      name: 'In',
      location_id: location.id,
      location_external_key: location.external_key,
      min_rssi_dbm: null,
      rssi_offset_db: 0,
    }
    expect(made.body.data).toEqual(point)
    const { data: first } = (await api.call('createScanPoint', { ...call, body: { name: 'Out' } })).body
    expect(first).toMatchObject({ antenna: 1, location_id: null, location_external_key: null })
    expect((await api.call('listScanPoints', call)).body).toMatchObject({
      data: [first, point],
      total_count: 2,
    })
    expect((await api.call('deleteReader', call)).status).toBe(204)
    expect((await api.call('listScanPoints', call)).status).toBe(404)
  })
})

describe('D11 webhooks', () => {
  test('D11.1 the secret is shown once, then masked to its last four characters', async ({ api, newOrg }) => {
    const { admin: token } = await newOrg()
    const body = { url: 'https://receiver.example/hook?a=1' }
    const created = await api.call('createWebhook', { token, body })
    const { data } = created.body
    expect(data).toMatchObject({ ...body, enabled: true })
    expect(data.secret).toMatch(/^whsec_[0-9a-f]{64}$/)
    const masked = { ...data, secret: `whsec_…${data.secret.slice(-4)}` }
    const params = { webhook_id: data.id }
    expect((await api.call('getWebhook', { token, params })).body.data).toEqual(masked)
    expect((await api.call('listWebhooks', { token })).body.data).toEqual([masked])
    const second = await api.call('createWebhook', { token, body })
    expect(second.body.error.type).toBe('conflict')
    const changed = await api.call('updateWebhook', { token, params, body: { enabled: false } })
    expect(changed.body.data).toMatchObject({ enabled: false, secret: masked.secret, url: body.url })
    expect((await api.call('deleteWebhook', { token, params })).status).toBe(204)
    expect((await api.call('getWebhook', { token, params })).status).toBe(404)
    expect((await api.call('createWebhook', { token, body })).status).toBe(201)
  })

  const refused = [
    'ftp://receiver.example', 'receiver.example/hook', '/hook', 'https://', 'x',
    'https://ada:secret@receiver.example/', 'https://ada@receiver.example/', 'javascript:alert(1)',
  ] // oxfmt-ignore
  test.for(refused)('D11.1 the target %s is invalid_value', async (url, { api, org }) => {
    const { error } = (await api.call('createWebhook', { token: org.admin, body: { url } })).body
    expect(error.fields).toMatchObject([{ field: 'url', code: 'invalid_value' }])
  })

  test('D11.1 a target of more than 2048 characters is too_long', async ({ api, org }) => {
    const url = `https://receiver.example/${'x'.repeat(2048)}`
    const { error } = (await api.call('createWebhook', { token: org.admin, body: { url } })).body
    expect(error.fields).toMatchObject([{ field: 'url', code: 'too_long', params: { max_length: 2048 } }])
  })
})
