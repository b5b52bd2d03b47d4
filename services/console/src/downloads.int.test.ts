import { createLogger } from '@whereabouts/service-kit/observe/logging'
import { createRegistry } from '@whereabouts/service-kit/observe/metrics'
import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildApp } from './app.ts'
import { readDownloads } from './downloads.ts'
import { readPages } from './pages.ts'
import { sessionCookie } from './session/cookie.ts'

const PACKAGE = 'whereabouts-client-1.2.3.tgz'
const WHEEL = 'whereabouts-1.2.3-py3-none-any.whl'
const COLLECTIONS = ['whereabouts.postman_collection.json', 'whereabouts.bruno.zip'] as const
const CONTENT = 'bytes of an archive '.repeat(200)
const SHA256 = createHash('sha256').update(CONTENT).digest('hex')
const HOST = 'https://api.example.com'

let app: ReturnType<typeof buildApp>
let folder: string
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'downloads-'))
  for (const each of ['web', 'downloads']) mkdirSync(join(folder, each))
  writeFileSync(join(folder, 'web/index.html'), '<div id="root"></div>')
  writeFileSync(join(folder, 'downloads', PACKAGE), CONTENT)
  writeFileSync(join(folder, 'downloads', WHEEL), 'a wheel')
  for (const name of COLLECTIONS) writeFileSync(join(folder, 'downloads', name), `${CONTENT}${name}`)
  writeFileSync(join(folder, 'downloads/SHA256SUMS'), `${SHA256}  ${PACKAGE}\n`)
  app = buildApp({
    log: createLogger('console', 'silent'),
    registry: createRegistry('console'),
    pages: await readPages(pathToFileURL(join(folder, 'web/'))),
    docs: { byPath: new Map(), notFound: undefined },
    downloads: await readDownloads(pathToFileURL(join(folder, 'downloads/')), `${HOST}/`),
    settings: { version: '1.2.3', reader_nats_url: null, reader_mqtt_url: null },
    cookie: sessionCookie(true),
    deviceCookie: sessionCookie(true, 'device'),
    signOnCookie: sessionCookie(true, 'sign_on'),
    callKeys: () => Promise.reject(new Error('downloads do not call keys')),
  })
})
afterAll(async () => {
  await app.close()
  rmSync(folder, { recursive: true })
})

test('D12.15 a package comes as it is, whatever the client accepts, and HEAD has its length', async () => {
  const url = `/downloads/${PACKAGE}`
  const response = await app.inject({ url, headers: { 'accept-encoding': 'gzip, br' } })
  expect([response.statusCode, response.body]).toEqual([200, CONTENT])
  expect(response.headers['content-encoding']).toBeUndefined()
  expect(response.headers).toMatchObject({
    'content-type': 'application/gzip',
    'cache-control': 'no-cache', // the next release has other bytes below this name
    'x-content-type-options': 'nosniff',
  })
  const head = await app.inject({ method: 'HEAD', url })
  expect([head.statusCode, head.body, head.headers['content-length']]).toEqual([200, '', '4000'])
  const { etag } = response.headers
  expect((await app.inject({ url, headers: { 'if-none-match': String(etag) } })).statusCode).toBe(304)
})

test('below its SHA-256 it is cached for a year, and no other bytes come', async () => {
  const { statusCode, headers, body } = await app.inject(`/downloads/${SHA256}/${PACKAGE}`)
  expect([statusCode, body]).toEqual([200, CONTENT])
  expect(headers['cache-control']).toBe('public, max-age=31536000, immutable')
  for (const other of [SHA256.replace(/^./, (digit) => (digit === '0' ? '1' : '0')), SHA256.slice(1)])
    expect((await app.inject(`/downloads/${other}/${PACKAGE}`)).statusCode).toBe(404)
})

test('the index is a page for people and JSON for programs', async () => {
  const json = await app.inject('/downloads/')
  expect(json.headers).toMatchObject({ vary: 'accept, accept-encoding', 'cache-control': 'no-cache' })
  const url = `${HOST}/downloads/${SHA256}/${PACKAGE}`
  const entry = { name: PACKAGE, version: '1.2.3', language: 'JavaScript', size: 4000, sha256: SHA256, url }
  expect(json.json().data).toContainEqual(entry)
  const uses = (json.json().data as { language: string }[]).map(({ language }) => language)
  expect(uses.toSorted()).toEqual(['Bruno', 'JavaScript', 'Postman', 'Python'])
  expect((await app.inject('/downloads/index.json')).json()).toEqual(json.json())

  const page = await app.inject({ url: '/downloads/', headers: { accept: 'text/html,*/*;q=0.8' } })
  expect(page.headers['content-type']).toBe('text/html; charset=utf-8')
  expect(page.body).toContain(`npm install ${HOST}/downloads/${PACKAGE}`)
  expect(page.body).toContain(`pip install ${HOST}/downloads/${WHEEL}`)
  expect(page.body).toContain(SHA256)
})

test('the collections for Postman and Bruno are in the index, with the version of this release', async () => {
  const { data } = (await app.inject('/downloads/index.json')).json()
  for (const [name, language, type] of [
    [COLLECTIONS[0], 'Postman', 'application/json'],
    [COLLECTIONS[1], 'Bruno', 'application/zip'],
  ]) {
    expect(data).toContainEqual(expect.objectContaining({ name, language, version: '1.2.3' }))
    const file = await app.inject({ url: `/downloads/${name}`, headers: { 'accept-encoding': 'identity' } })
    expect([file.statusCode, file.headers['content-type'], file.body]).toEqual([
      200,
      type,
      `${CONTENT}${name}`,
    ])
  }
  const page = await app.inject({ url: '/downloads/', headers: { accept: 'text/html' } })
  for (const name of COLLECTIONS) expect(page.body).toContain(`<a href="${name}" download>`)
})

test('other paths lead to the index, or nowhere', async () => {
  const moved = await app.inject('/downloads')
  expect([moved.statusCode, moved.headers['location']]).toEqual([302, '/downloads/'])
  for (const path of [
    'whereabouts-client-0.9.0.tgz',
    '../web/index.html',
    '%2e%2e/web/index.html',
    `${SHA256}/`,
  ]) {
    const url = `/downloads/${path}`
    const response = await app.inject({ url, headers: { 'x-request-path': url } })
    expect([url, response.statusCode]).toEqual([url, 404])
    expect(response.json()).toMatchObject({
      error: { type: 'not_found', detail: `Unknown API route: ${url}` },
    })
  }
  expect((await app.inject('/downloads/SHA256SUMS')).headers['content-type']).toBe(
    'text/plain; charset=utf-8',
  )
})
