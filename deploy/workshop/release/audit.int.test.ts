import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { resolve } from 'node:path'
import { afterEach, expect, test, vi } from 'vitest'
import { auditProblems } from './audit.ts'

const ROOT = resolve(import.meta.dirname, '../../..')
afterEach(() => vi.unstubAllEnvs())

const advisory = (severity: string) => ({
  fastify: [
    {
      id: 1,
      url: 'https://registry.example/1',
      title: 'A hole',
      severity,
      vulnerable_versions: '<99.0.0',
      cwe: [],
      cvss: { score: 9, vectorString: null },
    },
  ],
})

/** The problems that an audit finds with a registry that answers so. */
async function auditWith(status: number, body: object): Promise<string[]> {
  const registry = createServer((request, response) => {
    request.resume()
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  })
  await new Promise<void>((done) => registry.listen(0, '127.0.0.1', done))
  vi.stubEnv('pnpm_config_registry', `http://127.0.0.1:${(registry.address() as AddressInfo).port}/`)
  vi.stubEnv('pnpm_config_fetch_retries', '0')
  try {
    return await auditProblems(ROOT)
  } finally {
    registry.closeAllConnections()
    registry.close()
  }
}

test.for([
  { severity: 'none', body: {} },
  { severity: 'moderate', body: advisory('moderate') },
])('a registry that knows of $severity lets the release pass', async ({ body }) => {
  expect(await auditWith(200, body)).toEqual([])
})

test.for(['high', 'critical'])('a %s vulnerability stops the release and is named', async (severity) => {
  const [problem = '', ...others] = await auditWith(200, advisory(severity))
  expect(others).toEqual([])
  expect(problem).toMatch(/^packages have known vulnerabilities: update them/)
  expect(problem).toContain('A hole')
})

test.for([404, 405, 500])('a registry that answers %s is not a clean audit', async (status) => {
  const [problem] = await auditWith(status, {})
  expect(problem).toMatch(/^the registry did not answer the audit.*--skip-audit "why"/)
})
