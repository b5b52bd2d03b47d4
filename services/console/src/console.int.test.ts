import { createLogger } from '@whereabouts/service-kit/logging'
import { createRegistry } from '@whereabouts/service-kit/metrics'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildApp } from './app.ts'
import { readPages } from './pages.ts'

let app: ReturnType<typeof buildApp>
beforeAll(async () => {
  const pages = await readPages(new URL('../public/', import.meta.url))
  app = buildApp({ log: createLogger('console', 'silent'), registry: createRegistry('console'), pages })
})
afterAll(() => app.close())

test('the page loads nothing from outside and runs no script, and the browser is told to keep it so', async () => {
  const answer = await app.inject('/')
  expect(answer.statusCode).toBe(200)
  expect(answer.headers['content-security-policy']).toContain("default-src 'none'")
  expect(answer.body).not.toMatch(/<script|\son\w+=|\sstyle=/i)
  const loaded = [...answer.body.matchAll(/<(?:link|img|script|iframe)[^>]*(?:href|src)="([^"]+)"/g)].map(
    (m) => m[1],
  )
  expect(loaded).toEqual(['data:,', '/style.css'])
})

test('a page that has not changed is not sent again', async () => {
  const { headers } = await app.inject('/')
  const again = await app.inject({ url: '/', headers: { 'if-none-match': String(headers['etag']) } })
  expect([again.statusCode, again.body]).toEqual([304, ''])
})

test('an unknown path is a page that says so, with the same protection', async () => {
  for (const url of ['/nowhere', '/../package.json', '/%2e%2e/package.json', '/index.html']) {
    const answer = await app.inject(url)
    expect(answer.statusCode).toBe(404)
    expect(answer.headers['content-type']).toMatch(/^text\/html/)
    expect(answer.headers['x-content-type-options']).toBe('nosniff')
  }
})
