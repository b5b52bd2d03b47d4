import { createLogger } from '@whereabouts/service-kit/observe/logging'
import { createRegistry } from '@whereabouts/service-kit/observe/metrics'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildApp } from './app.ts'
import { readPages } from './pages.ts'
import { OPEN_PATHS, SIGNED_IN_PATHS } from './screens.ts'
import { sessionCookie } from './session/cookie.ts'

const SCRIPT = 'export const here = true\n'.repeat(100)

let app: ReturnType<typeof buildApp>
let folder: string
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'console-'))
  mkdirSync(join(folder, 'static'))
  writeFileSync(join(folder, 'index.html'), '<!doctype html><div id="root"></div>')
  writeFileSync(join(folder, 'static/index-Abc123.js'), SCRIPT)
  app = buildApp({
    log: createLogger('console', 'silent'),
    registry: createRegistry('console'),
    pages: await readPages(pathToFileURL(`${folder}/`)),
    docs: { byPath: new Map(), notFound: undefined },
    downloads: new Map(),
    settings: { version: '1.2.3', reader_nats_url: 'tls://readers.example:4222', reader_mqtt_url: null },
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

test('every screen is the same page, which runs only scripts of this origin and none inline', async () => {
  const paths = [...SIGNED_IN_PATHS, ...OPEN_PATHS].map((path) => path.replaceAll(/\$\w+/g, '7'))
  for (const url of [...paths, '/assets/', '/assets?q=forklift']) {
    const response = await app.inject(url)
    expect([response.statusCode, response.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8'])
    const policy = String(response.headers['content-security-policy'])
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("script-src 'self';")
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).not.toMatch(/script-src[^;]*(?:unsafe|https?:|\*)/)
    expect(response.headers['cache-control']).toBe('no-cache')
  }
})

test('a page that has not changed is not sent again', async () => {
  const { headers } = await app.inject('/')
  const again = await app.inject({ url: '/', headers: { 'if-none-match': String(headers['etag']) } })
  expect([again.statusCode, again.body]).toEqual([304, ''])
})

test('a file with a hash in its name is cached for a year and compressed as the browser accepts', async () => {
  const url = '/static/index-Abc123.js'
  const get = (encodings: string) => app.inject({ url, headers: { 'accept-encoding': encodings } })
  const [brotli, gzip, plain, refused] = await Promise.all(
    ['gzip, deflate, br, zstd', 'gzip', '', 'br;q=0, gzip;q=0'].map(get),
  )
  expect(brotli?.headers).toMatchObject({
    'cache-control': 'public, max-age=31536000, immutable',
    'content-encoding': 'br',
    'content-type': 'text/javascript; charset=utf-8',
    vary: 'accept-encoding',
  })
  expect(brotliDecompressSync(brotli!.rawPayload).toString()).toBe(SCRIPT)
  expect(gzip?.headers['content-encoding']).toBe('gzip')
  expect(gunzipSync(gzip!.rawPayload).toString()).toBe(SCRIPT)
  for (const each of [plain, refused]) {
    expect(each?.headers['content-encoding']).toBeUndefined()
    expect(each?.body).toBe(SCRIPT)
  }
})

const UNKNOWN = [
  '/no-such-screen',
  '/assets/7/8',
  '/assets//',
  '/Assets',
  '//',
  '/static/index-Old111.js',
  '/static/gone',
  '/static/',
  '/robots.txt',
  '/downloads/none.zip',
  '/llms.txt',
  '/healthz',
  '/../package.json',
  '/%2e%2e/package.json',
  '/static/..%2f..%2fpackage.json',
  '/index.html',
]

test('D12.15 a path that is neither a screen nor a file is a 404, as the page of the app for a browser', async () => {
  const shell = await app.inject('/')
  for (const url of UNKNOWN) {
    const headers = { accept: 'text/html,*/*;q=0.8', 'if-none-match': String(shell.headers['etag']) }
    const response = await app.inject({ url, headers })
    expect([url, response.statusCode, response.body]).toEqual([url, 404, shell.body])
    expect(response.headers).toMatchObject({
      'cache-control': 'no-store',
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': shell.headers['content-security-policy'],
    })
  }
})

test('D12.15 for a program it is a 404 in the envelope, and no path leads outside the built files', async () => {
  for (const url of UNKNOWN) {
    const response = await app.inject({ url: `${url}?a=1`, headers: { 'x-request-path': url } })
    expect([url, response.statusCode]).toEqual([url, 404])
    expect(response.headers['x-content-type-options']).toBe('nosniff')
    expect(response.headers['cache-control']).toBe('no-store')
    const error = { type: 'not_found', detail: `Unknown API route: ${url}`, instance: url }
    expect(response.json()).toMatchObject({ error })
  }
})

test('readPages names the missing build in its error', async () => {
  await expect(readPages(pathToFileURL(join(folder, 'dist/')))).rejects.toThrow('has not been built')
})
