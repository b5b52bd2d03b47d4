import type { Route } from '@whereabouts/contracts/route'
import { API_PREFIX, routes, type OperationId } from '@whereabouts/contracts/routes'
import { fc, limits } from '@whereabouts/testing/fuzz'
import { describe, expect, inject } from 'vitest'
import type { Api } from './support/api.ts'
import { checkReply } from './support/envelope.ts'
import { test } from './support/fixtures.ts'
import { send } from './support/http.ts'

// A failure prints its seed; `WB_SEED` repeats the run, and `fc.assert(…, { seed, path })` the case.

const { base } = inject('urls')
const table = Object.entries<Route>(routes) as [OperationId, Route][]
const paths = [
  ...new Set(table.map(([, { path }]) => `${API_PREFIX}${path}`)),
  '/',
  '/api',
  '/.well-known/jwks.json',
]

/** Text that often breaks programs: other alphabets, control characters, format strings, our own fields. */
const nasty = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.constantFrom(
    '',
    '\u0000',
    '\uFEFF',
    '../..',
    '%00',
    '%',
    '{}',
    "';--",
    '${x}',
    '__proto__',
    '9'.repeat(30),
  ),
  fc.integer().map(String),
  fc.uuid(),
)
const fieldName = fc.oneof(
  fc.constantFrom(
    'name',
    'scopes',
    'tags',
    'metadata',
    'external_key',
    'parent_id',
    'valid_to',
    'url',
    '__proto__',
  ),
  nasty,
)
const json = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom(null, true, -1, 0.5, 1e308, Number.MAX_SAFE_INTEGER, '2026-11-21T10:00:00Z'),
    nasty,
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(fieldName, tie('value'), { maxKeys: 4 }),
  ),
})).value
const mediaTypes = [
  'application/json',
  'application/merge-patch+json',
  'application/x-www-form-urlencoded',
  'application/json; charset=utf-16',
  'text/plain',
  'multipart/form-data',
  '',
]
const body = fc.oneof(
  fc.constant(undefined),
  fc.uint8Array({ maxLength: 200 }),
  json.map((value) => JSON.stringify(value)),
  nasty,
)

async function expectHealthy(api: Api, token: string): Promise<void> {
  expect((await api.call('getCurrentOrg', { token })).status).toBe(200)
}

describe('every operation answers any request as described', () => {
  test.for(table)('%s', async ([operationId, row], { api, newOrg }) => {
    const org = await newOrg()
    const tokens = [org.admin, (await org.key()).token]
    const names = [...row.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
    const params = fc.record(
      Object.fromEntries(
        names.map((name) => [name, nasty.filter((text) => text !== '' && isEncodable(text))]),
      ),
    )
    const query = fc.dictionary(fieldName.filter(isEncodable), nasty.filter(isEncodable), { maxKeys: 3 })
    const token = fc.constantFrom(...tokens)
    const request = fc.record({ params, query, token, body: fc.oneof(json, body) })
    await fc.assert(
      fc.asyncProperty(request, async (sent) => {
        // `api.call` checks the reply against the description, whose only 5xx is 503.
        expect((await api.call(operationId, sent)).status).toBeLessThan(500)
      }),
      limits(operationId === 'signUp' || operationId === 'logIn' ? 6 : 15),
    )
  })
})

const isEncodable = (text: string) => text.isWellFormed()

describe('random requests', () => {
  const method = fc.oneof(
    fc.constantFrom(
      'GET',
      'HEAD',
      'POST',
      'PUT',
      'PATCH',
      'DELETE',
      'OPTIONS',
      'TRACE',
      'PROPFIND',
      'QUERY',
      'SEARCH',
    ),
  )
  const visible = fc.stringMatching(/^[!-~]{0,30}$/)
  const target = fc
    .record({ path: fc.constantFrom(...paths), filler: visible, tail: visible, query: visible })
    .map(({ path, filler, tail, query }) => {
      const filled = path.replaceAll(/\{\w+\}/g, () => filler || '5')
      return `${filled}${tail}${query && `?${query}`}`.replaceAll('#', '')
    })
  const headerValue = fc.stringMatching(/^[ -~\x80-\xff]{0,40}$/).map((text) => text.trim())
  const headers = fc.dictionary(
    fc.oneof(
      fc.constantFrom(
        'accept', 'authorization', 'range', 'if-none-match', 'traceparent', 'x-forwarded-for', 'x-principal', 'host',
        'origin', 'accept-encoding', 'content-encoding', 'upgrade', 'te', 'cookie', 'x-http-method-override',
      ), // oxfmt-ignore
      fc
        .stringMatching(/^[!#$%&'*+.^_`|~\w-]{1,20}$/)
        .filter(
          (name) =>
            !/^(?:__proto__|connection|content-length|transfer-encoding|trailer|x-request-id)$/i.test(name),
        ),
    ),
    headerValue,
    { maxKeys: 5 },
  )
  const isSent = (name: string, value: string) => !(name === 'host' && value === '')

  test('replies to any method, path, header and body are below 500 and in the envelope', async ({
    api,
    token,
  }) => {
    const request = fc.record({
      method,
      path: target,
      headers,
      body,
      type: fc.constantFrom(...mediaTypes),
      isKnown: fc.boolean(),
    })
    await fc.assert(
      fc.asyncProperty(request, async ({ type, isKnown, ...sent }) => {
        const all = {
          'user-agent': 'contract-suite/1',
          'content-type': type,
          ...(isKnown && { authorization: `Bearer ${token}` }),
          ...sent.headers,
        }
        const kept = Object.fromEntries(Object.entries(all).filter(([name, value]) => isSent(name, value)))
        const full = { ...sent, headers: kept }
        const reply = await send(base, full)
        expect(reply.status).toBeLessThan(500)
        if (!isPage(reply.headers.get('content-type'))) checkReply(full, reply)
      }),
      limits(600, 20_000),
    )
    await expectHealthy(api, token)
  })
})

const isPage = (type: string | null) => /^text\/(?:html|css)|^image\//.test(type ?? '')
