import { gzipSync } from 'node:zlib'
import { MAX_MESSAGE_BYTES } from '@whereabouts/contracts/resources/tracking/scans'
import { describe, expect, inject } from 'vitest'
import { connectReader, type Transport } from '../system/readers.ts'
import type { Api } from './support/api.ts'
import { test } from './support/fixtures.ts'
import { succeed, type Organization } from './support/organization.ts'

const READER = 'vend-1'
const params = { reader_key: READER, format: 'canonical' }

/** What a vendor gets: a reader with one antenna, and the key of that reader alone, for HTTP Basic and MQTT. */
async function vendorOf(api: Api, org: Organization) {
  const body = { reader_key: READER, name: 'Vendor', format: 'canonical' }
  const { id } = (await succeed(api.call('createReader', { token: org.admin, body }))).body.data
  const ofReader = { token: org.admin, params: { reader_id: id ?? 0 } }
  const point = { antenna: 1, name: 'Antenna 1' }
  await succeed(api.call('createScanPoint', { ...ofReader, body: point }))
  const key = await org.key({ scopes: ['scans:write'], reader_key: READER })
  const authorization = `Basic ${Buffer.from(`${key.clientId}:${key.clientSecret}`).toString('base64')}`
  // Nobody can set the User-Agent of a device.
  const headers = { authorization, 'user-agent': 'python-requests/2.32' }
  const problems = async () => {
    const { data } = (await succeed(api.call('listMessagesOfKey', { params, headers }))).body
    return data.flatMap(({ via, problems: all }) => all.map(({ code, detail }) => ({ via, code, detail })))
  }
  return {
    headers,
    problems,
    check: async (message: string) => {
      const call = { params, headers, query: { check: true, serial: 'X1' }, body: message }
      const { body: decoded } = await succeed(api.call('sendReaderMessage', call))
      return 'data' in decoded
        ? decoded.data.problems.map(({ code, detail }) => ({ code, detail }))
        : undefined
    },
    connect: (transport: Transport) => connectReader({ urls: inject('urls') }, key, transport),
    readerOf: async () => (await api.call('getReader', ofReader)).body.data,
  }
}

const message = (antenna: number, readAt = new Date()) =>
  JSON.stringify({
    reads: [{ tag: { type: 'rfid', value: 'E280AA' }, antenna, read_at: readAt.toISOString() }],
  })

describe('D19.4 with the key of its reader alone', () => {
  test('a vendor finds a wrong clock, an unknown antenna and JSON that is cut off', async ({
    api,
    newOrg,
  }) => {
    const vendor = await vendorOf(api, await newOrg())
    const inTwoHours = new Date(Date.now() + 2 * 3_600_000)
    expect(await vendor.check(message(1, inTwoHours))).toEqual([
      { code: 'wrong_clock', detail: expect.stringContaining('2 h ahead') },
    ])
    expect(await vendor.check(message(7))).toEqual([
      { code: 'unknown_antenna', detail: expect.stringContaining('Antenna 7 has no scan point') },
    ])
    expect(await vendor.check(message(1).slice(0, -3))).toMatchObject([{ code: 'malformed_json' }])
    expect(await vendor.check(message(1))).toEqual([])
    expect((await vendor.readerOf()).health).toMatchObject({ messages: 0, last_seen_at: null })
  })

  test('nobody else asks: another key or a session is told what to do', async ({ api, newOrg }) => {
    const org = await newOrg()
    const unbound = await org.key({ scopes: ['scans:write'] })
    const other = await org.key({ scopes: ['scans:write'], reader_key: 'vend-2' })
    for (const token of [unbound.token, other.token, org.admin])
      for (const reply of [
        await api.call('listMessagesOfKey', { params, token }),
        await api.call('sendReaderMessage', { params, token, query: { check: true }, body: '{}' }),
      ])
        expect(reply.body.error).toMatchObject({ status: 403, detail: expect.stringContaining('reader ') })
    expect((await api.call('listReaders', { token: org.admin })).body.data).toEqual([])
  })

  test('a vendor finds what its device sent in another format', async ({ api, newOrg }) => {
    const org = await newOrg()
    const vendor = await vendorOf(api, org)
    const link = await vendor.connect('mqtt')
    await link.publish(org.id, READER, 'canonical', Buffer.from('{"reads":['))
    await link.close()
    await expect
      .poll(vendor.problems, { timeout: 15_000, interval: 1_000 })
      .toMatchObject([{ via: 'mqtt', code: 'malformed_json' }])
  })

  test.for(['mqtt', 'nats'] as const)(
    'a vendor finds a wrong topic over %s, until a message arrives',
    async (transport, { api, newOrg }) => {
      const org = await newOrg()
      const vendor = await vendorOf(api, org)
      expect(await vendor.problems()).toEqual([])
      const link = await vendor.connect(transport)
      // MQTT acknowledges it, and NATS answers nothing.
      const lost = link.publish(org.id, 'vend-2', 'canonical', Buffer.from(message(1)))
      if (transport === 'mqtt') await lost
      else lost.catch(() => undefined)
      await expect.poll(vendor.problems, { timeout: 15_000, interval: 1_000 }).toEqual([
        {
          via: 'broker',
          code: 'nothing_arrived',
          detail: expect.stringContaining(`scans/${org.id}/${READER}/`),
        },
      ])
      expect(
        (await api.call('listReaders', { token: org.admin, query: { configured: false } })).body.data,
      ).toEqual([])
      await link.publish(org.id, READER, 'canonical', Buffer.from(message(1)))
      await expect.poll(vendor.problems, { timeout: 15_000, interval: 1_000 }).toEqual([])
      await link.close()
    },
  )
})

describe('D19.4 a packed message', () => {
  test('is stored, and a bomb is 413', async ({ api, newOrg }) => {
    const vendor = await vendorOf(api, await newOrg())
    const send = (body: Buffer, encoding = 'gzip') =>
      api.call('sendReaderMessage', {
        params,
        headers: { ...vendor.headers, 'content-encoding': encoding },
        body,
      })
    const all = [
      await send(gzipSync(message(1))),
      await send(gzipSync(Buffer.alloc(100 * MAX_MESSAGE_BYTES))),
      await send(Buffer.from(message(1))),
      await send(gzipSync(message(1)), 'br'),
      await send(gzipSync(gzipSync(message(1))), 'gzip, gzip'),
    ]
    expect(all.map(({ status }) => status)).toEqual([202, 413, 400, 415, 415])
    expect(all[3]?.body.error.detail).toBe('Content-Encoding must be gzip or deflate')
    await expect
      .poll(async () => (await vendor.readerOf()).health, { timeout: 15_000, interval: 500 })
      .toMatchObject({ messages: 1, reads: 1, messages_buried: 0 })
  })

  test('is 415 for every other operation, and named', async ({ api, org }) => {
    const body = gzipSync('{"name":"Pump"}')
    const headers = { 'content-encoding': 'gzip' }
    const csv = { ...headers, 'content-type': 'text/csv' }
    const replies = [
      await api.call('createAsset', {
        token: org.admin,
        body,
        headers: { ...headers, 'content-type': 'application/json' },
      }),
      await api.call('createImport', {
        token: org.admin,
        body,
        headers: csv,
        params: { resource: 'assets' },
      }),
      await api.call('createToken', { body, headers: { ...headers, 'content-type': 'application/json' } }),
    ]
    for (const { status, body: refused } of replies) {
      expect(status).toBe(415)
      expect(refused.error.detail).toContain('Content-Encoding')
    }
  })
})
