import { describe, expect } from 'vitest'
import { test } from './support/fixtures.ts'
import { callOf, rows } from './support/rows.ts'

describe('D3 bodies', () => {
  const bodies: [text: string | Buffer, detail: string][] = [
    ['', 'Request body is not valid JSON'],
    ['   ', 'Request body is not valid JSON'],
    ['{"name":', 'Request body is not valid JSON'],
    ['{"name":"a"} x', 'Request body is not valid JSON'],
    ['{"name":"a"}{"name":"b"}', 'Request body is not valid JSON'],
    ["{'name':'a'}", 'Request body is not valid JSON'],
    ['{"name":"a\tb"}', 'Request body is not valid JSON'],
    ['{"name":"a\u0000"}', 'Request body is not valid JSON'],
    [Buffer.from('{"name":"\xff\xfe"}', 'latin1'), 'Request body is not valid JSON'],
    [Buffer.from('{"name":"\xed\xa0\x80"}', 'latin1'), 'Request body is not valid JSON'],
    ['[]', 'Request body must be a JSON object'],
    ['[{"name":"a"}]', 'Request body must be a JSON object'],
    ['"name"', 'Request body must be a JSON object'],
    ['7', 'Request body must be a JSON object'],
    ['true', 'Request body must be a JSON object'],
    ['null', 'Request body must be a JSON object (RFC 7396)'],
    [' null ', 'Request body must be a JSON object (RFC 7396)'],
  ]
  test.for(bodies)('D3 body %j is a bad_request: %s', async ([body, detail], { api, org }) => {
    for (const operationId of ['createAsset', 'createReader', 'logIn'] as const) {
      const reply = await api.call(operationId, { token: org.admin, body })
      expect(reply.body.error).toMatchObject({ type: 'bad_request', detail })
    }
  })

  test.for(rows.filter(({ body }) => body))(
    'D3 $operationId refuses an array, a broken body and another media type',
    async (row, { api, org }) => {
      const call = { ...callOf(row.operationId, org), token: org.admin }
      const headers = { 'content-type': row.mediaTypes?.[0] ?? 'application/json' }
      const array = await api.call(row.operationId, { ...call, headers, body: '[]' })
      expect(array.body.error.detail).toBe('Request body must be a JSON object')
      const broken = await api.call(row.operationId, { ...call, headers, body: '{' })
      expect(broken.body.error.detail).toBe('Request body is not valid JSON')
      for (const type of ['text/plain', 'application/xml', 'multipart/form-data; boundary=x', undefined]) {
        const reply = await api.call(row.operationId, {
          ...call,
          headers: { 'content-type': type },
          body: '{}',
        })
        expect(reply.body.error.type).toBe('unsupported_media_type')
      }
    },
  )

  test('D3 a charset parameter and capitals do not change the media type', async ({ api, org }) => {
    const headers = { 'content-type': 'Application/JSON; Charset=UTF-8' }
    const reply = await api.call('createAsset', { token: org.admin, headers, body: '{"name":"a"}' })
    expect(reply.status).toBe(201)
  })

  test('D2 a body of 1 MiB is read, one byte more is payload_too_large', async ({ api, org }) => {
    const exact = `{"name":"a"}${' '.repeat(1024 * 1024 - 12)}`
    expect((await api.call('createAsset', { token: org.admin, body: exact })).status).toBe(201)
    const reply = await api.call('createAsset', { token: org.admin, body: `${exact} ` })
    expect(reply.body.error.type).toBe('payload_too_large')
  })
})

describe('D3.3 hostile text is a 4xx', () => {
  // Names refuse every control character. Multi-line text refuses NUL and invalid Unicode.
  const escapes = [
    '\\u0000',
    '\\u0001',
    '\\u0009',
    '\\u000a',
    '\\u000d',
    '\\u001f',
    '\\u007f',
    '\\ud800',
    '\\udc00x',
  ]
  const multiline = new Set(['\\u0009', '\\u000a', '\\u000d'])
  test.for(escapes)('D3.3 %s in a name', async (escape, { api, org }) => {
    for (const operationId of ['createAsset', 'createLocation'] as const) {
      const reply = await api.call(operationId, { token: org.admin, body: `{"name":"a${escape}b"}` })
      expect(reply.body.error.fields).toMatchObject([{ field: 'name', code: 'invalid_value' }])
    }
  })

  test.for(escapes.filter((escape) => !multiline.has(escape)))(
    'D3.3 %s in a description, a tag value and metadata',
    async (escape, { api, org }) => {
      const texts = [
        `"description":"a${escape}b"`,
        `"tags":[{"tag_type":"rfid","value":"a${escape}b"}]`,
        `"external_key":"a${escape}b"`,
      ]
      for (const text of texts) {
        const reply = await api.call('createAsset', { token: org.admin, body: `{"name":"a",${text}}` })
        expect(reply.body.error.type, text).toBe('validation_error')
      }
    },
  )

  test.for(['{"a":"\\u0000"}', '{"\\u0000":1}', '{"a":["\\ud800"]}', '{"\\udc00":{}}'])(
    'D3.3 metadata %s',
    async (metadata, { api, org }) => {
      const body = `{"name":"a","metadata":${metadata}}`
      const reply = await api.call('createAsset', { token: org.admin, body })
      expect(reply.body.error.fields).toMatchObject([{ field: 'metadata', code: 'invalid_value' }])
    },
  )

  test('D4.5 tab, CR and LF are accepted in a description', async ({ api, org }) => {
    const body = { name: 'a', description: 'one\ttwo\r\nthree' }
    const reply = await api.call('createAsset', { token: org.admin, body })
    expect(reply.body.data.description).toBe(body.description)
  })

  test.for([
    'q=%00',
    'q=%ff',
    'q=%zz',
    'q=%ed%a0%80',
    'external_key=%00',
    '%00=1',
    '%ff=1',
    'sort=%00',
    'limit=%00',
  ])('D3.3 query %s', async (query, { api, org }) => {
    const reply = await api.call('listAssets', { token: org.admin, query })
    expect(reply.status).toBe(400)
  })

  test.for(['%00', '5%00', '%ff', '%zz', '%ed%a0%80', '%0a', '..%2f..', '%2e%2e', '٣', '5;x', '5%2f6'])(
    'D3.3 path id %s',
    async (id, { api, org }) => {
      const path = `/api/v1/assets/${id === '٣' ? encodeURIComponent(id) : id}`
      const { status } = await api.request(path, { token: org.admin })
      expect([400, 404]).toContain(status)
    },
  )

  test('D3.3 a form that is not UTF-8', async ({ api }) => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const reply = await api.call('createToken', { headers, body: 'grant_type=%ff' })
    expect(reply.status).toBe(400)
  })

  test.for(rows.filter(({ body }) => body))(
    'D3.3 $operationId survives deep, wide and prototype-like JSON',
    async ({ operationId, access }, { api, org }) => {
      const call = { ...callOf(operationId, org), token: org.admin }
      const depth = access === 'none' ? 7_000 : 50_000 // bodies that anybody may send have 16 KiB at most (D2.7)
      const bodies = [
        `{"metadata":${'['.repeat(depth)}${']'.repeat(depth)}}`,
        '{"__proto__":{"name":"a"},"constructor":{"prototype":{}}}',
        `{${Array.from({ length: 500 }, (_, i) => `"k${i}":1`).join()}}`,
      ]
      for (const body of bodies) expect((await api.call(operationId, { ...call, body })).status).toBe(400)
    },
  )
})
