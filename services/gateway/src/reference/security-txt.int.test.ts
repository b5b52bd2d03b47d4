import { expect, vi } from 'vitest'
import { test as base } from '../../test/gateway.fixture.ts'
import type { TestGateway } from '../../test/gateway.fixture.ts'

const PATH = '/.well-known/security.txt'
const DAY_MS = 86_400_000

const test = base.extend<{ named: TestGateway }>({
  named: async ({ startGateway }, use) =>
    use(await startGateway({ securityContact: 'mailto:security@example.com' })),
})

const expiresIn = (text: string) => Date.parse(/^Expires: (.+)$/m.exec(text)?.[1] ?? '') - Date.now()

test('security.txt names the contact to every client, and expires within a year', async ({ named }) => {
  const { status, text, headers } = await named.request(PATH, { headers: { 'user-agent': 'curl/8' } })
  expect([status, headers['content-type']]).toEqual([200, 'text/plain; charset=utf-8'])
  expect(text.replace(/^Expires: .+$/m, 'Expires: …')).toBe(
    'Contact: mailto:security@example.com\nExpires: …\n' +
      'Policy: http://whereabouts.example/docs/security\n' +
      `Canonical: http://whereabouts.example${PATH}\n`,
  )
  expect(expiresIn(text) / DAY_MS).toBeGreaterThan(350)
  expect(expiresIn(text) / DAY_MS).toBeLessThan(365)
})

test('a gateway that has run for years serves no file that has expired', async ({ named }) => {
  for (const years of [1, 2, 3]) {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + years * 366 * DAY_MS })
    try {
      expect(expiresIn((await named.request(PATH)).text)).toBeGreaterThan(350 * DAY_MS)
    } finally {
      vi.useRealTimers()
    }
  }
})

test('without a contact there is no security.txt', async ({ gateway }) => {
  expect((await gateway.request(PATH)).status).toBe(404)
})
