import { describe, expect, inject } from 'vitest'
import { test } from './support/fixtures.ts'

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'
const AGENTS = ['Mozilla/5.0', 'python-requests/2.32', 'Go-http-client/2.0', '']

const ask = (path: string, init: RequestInit = {}) =>
  fetch(`${inject('urls').base}${path}`, { redirect: 'manual', ...init })

describe('D12.15 paths outside the API', () => {
  const screens = ['/', '/assets', '/assets/7', '/readers/7', '/live', '/members', '/sign-in', '/provision']
  test.for(screens)('D12.15 the screen %s opens directly, for every client', async (path) => {
    for (const accept of [BROWSER, '*/*', 'application/json'])
      for (const agent of AGENTS) {
        const answer = await ask(`${path}?a=1`, { headers: { accept, 'user-agent': agent } })
        expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
      }
  })

  const unknown = [
    '/no-such-screen',
    '/assets/7/8',
    '/robots.txt',
    '/healthz/x',
    '/readyz',
    '/metrics',
    '/internal/ready',
    '/docs/no-such-page',
    '/docs/no-such-page.md',
    '/downloads/none.zip',
    '/static/none.js',
  ]
  test.for(unknown)('D12.15 %s is 404: a page for a browser, the envelope for a program', async (path) => {
    const page = await ask(path, { headers: { accept: BROWSER } })
    expect([page.status, page.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8'])
    for (const accept of ['*/*', 'application/json', 'text/*']) {
      const answer = await ask(`${path}?a=1`, { headers: { accept } })
      expect(answer.status).toBe(404)
      const error = { type: 'not_found', detail: `Unknown API route: ${path}`, instance: path }
      expect(await answer.json()).toMatchObject({ error })
      const head = await ask(path, { method: 'HEAD', headers: { accept } })
      expect(head.status).toBe(404)
    }
  })

  test.for(['/.well-known/x', '/api/v2/assets'])(
    'D12.15 %s is 404 in the envelope',
    async (path, { api }) => {
      const { status, body } = await api.request(path)
      expect([status, body.error.detail]).toEqual([404, `Unknown API route: ${path}`])
    },
  )
})

test('D12.15 /healthz is the health of the API, for every client', async () => {
  for (const agent of AGENTS) {
    const headers = { 'user-agent': agent }
    const answer = await ask('/healthz', { headers })
    const parts = { catalog: 'ok', gateway: 'ok', keys: 'ok', tracking: 'ok' }
    expect([answer.status, await answer.json()]).toEqual([200, { status: 'ok', parts }])
    const head = await ask('/healthz', { method: 'HEAD', headers })
    expect([head.status, await head.text()]).toEqual([200, ''])
  }
})
