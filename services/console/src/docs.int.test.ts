import { createLogger } from '@whereabouts/service-kit/observe/logging'
import { createRegistry } from '@whereabouts/service-kit/observe/metrics'
import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { brotliDecompressSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildApp } from './app.ts'
import { readDocs } from './docs.ts'
import { readPages } from './pages.ts'
import { sessionCookie } from './session/cookie.ts'

const INLINE = 'document.documentElement.classList.add("dark")'
const pageOf = (title: string) =>
  `<script type="module" src="/docs/assets/app.js"></script><script id="dark">${INLINE}</script><h1>${title}</h1>`
const FILES = {
  'web/index.html': '<div id="root"></div>',
  'docs/index.html': pageOf('Start'),
  'docs/integrating.html': pageOf('Integrating'),
  'docs/adr/index.html': pageOf('Decisions'),
  'docs/404.html': pageOf('Not found'),
  'docs/integrating.md': '# Integrating\n',
  'docs/llms.txt': '# Whereabouts\n',
  'docs/assets/app.Abc123.js': 'export {}',
  'docs/icon.svg': '<svg/>',
  'secret.html': 'outside of the folder',
}

let app: ReturnType<typeof buildApp>
let folder: string
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'docs-'))
  for (const each of ['web', 'docs/adr', 'docs/assets']) mkdirSync(join(folder, each), { recursive: true })
  for (const [path, text] of Object.entries(FILES)) writeFileSync(join(folder, path), text)
  app = buildApp({
    log: createLogger('console', 'silent'),
    registry: createRegistry('console'),
    pages: await readPages(pathToFileURL(join(folder, 'web/'))),
    docs: await readDocs(pathToFileURL(join(folder, 'docs/'))),
    downloads: new Map(),
    settings: { version: '1.2.3', reader_nats_url: null, reader_mqtt_url: null },
    cookie: sessionCookie(true),
    deviceCookie: sessionCookie(true, 'device'),
    signOnCookie: sessionCookie(true, 'sign_on'),
    callKeys: () => Promise.reject(new Error('pages do not call keys')),
  })
})
afterAll(async () => {
  await app.close()
  rmSync(folder, { recursive: true })
})

test.for([
  { url: '/docs/', title: 'Start' },
  { url: '/docs/integrating?from=mail', title: 'Integrating' },
  { url: '/docs/adr/', title: 'Decisions' },
])('$url is the page "$title", revalidated on each visit', async ({ url, title }) => {
  const response = await app.inject(url)
  expect([response.statusCode, response.body]).toEqual([200, pageOf(title)])
  expect(response.headers).toMatchObject({
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-cache',
  })
  const { etag, 'content-length': length } = response.headers
  const again = await app.inject({ url, headers: { 'if-none-match': String(etag) } })
  expect([again.statusCode, again.body]).toEqual([304, ''])
  const head = await app.inject({ method: 'HEAD', url })
  expect([head.statusCode, head.body, head.headers['etag']]).toEqual([200, '', etag])
  expect(head.headers['content-length']).toBe(length)
})

test('of inline scripts, only those of the page run', async () => {
  const { headers } = await app.inject('/docs/integrating')
  const digest = createHash('sha256').update(INLINE).digest('base64')
  const policy = String(headers['content-security-policy'])
  expect(policy).toContain(`script-src 'self' 'sha256-${digest}';`)
  expect(policy).toContain("default-src 'none'")
  expect(policy).not.toMatch(/script-src[^;]*(?:unsafe|https?:|\*)/)
  expect(headers['x-content-type-options']).toBe('nosniff')
})

test('a file with a hash in its name is cached for a year, compressed as the browser accepts; others are not', async () => {
  const script = await app.inject({ url: '/docs/assets/app.Abc123.js', headers: { 'accept-encoding': 'br' } })
  expect(script.headers['cache-control']).toBe('public, max-age=31536000, immutable')
  expect(brotliDecompressSync(script.rawPayload).toString()).toBe('export {}')
  const icon = await app.inject('/docs/icon.svg')
  expect(icon.headers).toMatchObject({ 'cache-control': 'no-cache', 'content-type': 'image/svg+xml' })
})

test.for([
  { from: '/docs', to: '/docs/' },
  { from: '/docs/adr', to: '/docs/adr/' },
  { from: '/docs/api', to: '/api' },
])('$from redirects to $to', async ({ from, to }) => {
  const { statusCode, headers } = await app.inject(from)
  expect([statusCode, headers['location']]).toEqual([302, to])
})

test('a page that does not exist is a 404 with the page for it', async () => {
  for (const url of [
    '/docs/nowhere',
    '/docs/404',
    '/docs/adr/9999-none',
    '/docs//integrating',
    '/docs/integrating/',
  ]) {
    const response = await app.inject({ url, headers: { accept: 'text/html' } })
    expect([url, response.statusCode, response.body]).toEqual([url, 404, pageOf('Not found')])
    expect(String(response.headers['content-security-policy'])).toContain("'sha256-")
  }
})

test('the page for missing pages is never a 304', async () => {
  const { headers } = await app.inject('/docs/integrating')
  const again = await app.inject({
    url: '/docs/nowhere',
    headers: { accept: 'text/html', 'if-none-match': String(headers['etag']) },
  })
  expect(again.statusCode).toBe(404)
})

test('D12.15 for a program it is a 404 in the envelope, and no path leads outside the built files', async () => {
  for (const url of [
    '/docs/nowhere',
    '/docs/nowhere.md',
    '/docs/assets/app.Old111.js',
    '/docs/index.html',
    '/docs/integrating.html',
    '/docs/../secret.html',
    '/docs/%2e%2e/secret.html',
    '/docs/assets/../../secret.html',
    '/docs/..%2fsecret.html',
  ]) {
    const response = await app.inject({ url, headers: { 'x-request-path': url } })
    expect([url, response.statusCode]).toEqual([url, 404])
    expect(response.headers['cache-control']).toBe('no-store')
    const detail = `Unknown API route: ${url}`
    expect(response.json()).toMatchObject({ error: { type: 'not_found', detail } })
  }
})

test.for([
  { url: '/docs/integrating.md', type: 'text/markdown; charset=utf-8', body: '# Integrating\n' },
  { url: '/llms.txt', type: 'text/plain; charset=utf-8', body: '# Whereabouts\n' },
])('D12.15 $url answers programs and browsers alike, and again with 304', async ({ url, type, body }) => {
  for (const accept of ['*/*', 'text/html']) {
    const response = await app.inject({ url, headers: { accept } })
    expect([response.statusCode, response.headers['content-type'], response.body]).toEqual([200, type, body])
    const headers = { accept, 'if-none-match': String(response.headers['etag']) }
    expect((await app.inject({ url, headers })).statusCode).toBe(304)
  }
})

test('readDocs names the missing build in its error', async () => {
  await expect(readDocs(pathToFileURL(join(folder, 'dist/')))).rejects.toThrow('has not been built')
})
