import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { PRINCIPAL_HEADER } from '@whereabouts/contracts/principal'
import { createPrivateKey } from 'node:crypto'
import mqtt from 'mqtt'
import { describe, expect, inject } from 'vitest'
import { forge, jwtParts } from '../system/jwt.ts'
import { test } from './support/walls.fixture.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const source = (file: string) => readFileSync(join(ROOT, file), 'utf8')

describe('S11 the edge', () => {
  test.for([8_001, 12_000])(
    'S11 d an X-Request-ID of %i bytes does not harm the services, and comes back unchanged',
    async (length, { victim }) => {
      const headers = {
        'user-agent': 'walls/1',
        'x-request-id': 'r'.repeat(length),
        authorization: `Bearer ${victim.key.token}`,
      }
      const reply = await fetch(`${inject('urls').base}/api/v1/assets`, { headers })
      expect(reply.status).toBe(200)
      expect(reply.headers.get('x-request-id')).toBe(headers['x-request-id'])
      await reply.body?.cancel()
    },
  )

  test('S11 e no cache keeps responses with data, and no browser sniffs them', async ({ api, victim }) => {
    for (const operationId of ['listAssets', 'exportAssets', 'getCurrentUser'] as const) {
      const { headers } = await api.call(operationId, { token: victim.org.admin })
      expect(headers.get('x-content-type-options'), operationId).toBe('nosniff')
      expect(headers.get('cache-control'), operationId).toBe('private, no-store')
    }
  })

  test('S11 f the platform address of a cloud is not a public address', async ({ api, newOrg }) => {
    const { admin: token } = await newOrg()
    const reply = await api.call('createWebhook', { token, body: { url: 'https://168.63.129.16/hook' } })
    expect(reply.status).toBe(400)
  })

  test.for([22, 25, 8080])(
    'N11 port %i of a public address is not a target',
    async (port, { api, newOrg }) => {
      const { admin: token } = await newOrg()
      const reply = await api.call('createWebhook', { token, body: { url: `https://8.8.8.8:${port}/` } })
      expect(reply.status).toBe(400)
    },
  )

  test('N6 all spellings of the credentials of a device are one exchange', async ({ api, newOrg, rows }) => {
    const org = await newOrg()
    const { clientId, clientSecret } = await org.key({ scopes: ['scans:write'] })
    const chains = async () => {
      const text = 'select count(*)::int as count from keys.token_chain where org_id = $1'
      return (await rows.query<{ count: number }>(text, [org.id]))[0]?.count ?? 0
    }
    const before = await chains()
    for (let n = 0; n < clientId.length; n += 1) {
      const escaped = `${clientId.slice(0, n)}%${clientId.charCodeAt(n).toString(16)}${clientId.slice(n + 1)}`
      const encoded = Buffer.from(`${escaped}:${clientSecret}`).toString('base64')
      const authorization = `${n % 2 === 0 ? 'Basic' : 'basic'}${' '.repeat(1 + (n % 5))}${encoded}`
      const sent = { method: 'POST', headers: { authorization }, body: '{"reads":[]}' }
      expect((await api.request('/api/v1/scans/dock-1/canonical', sent)).status).toBe(202)
    }
    expect((await chains()) - before).toBe(1)
  })

  test('S11 j __proto__ in metadata is refused', async ({ api, victim }) => {
    const body = '{"name":"Crate","metadata":{"a":{"__proto__":{"x":1}}}}'
    const reply = await api.call('createAsset', { token: victim.key.token, body })
    expect(reply.body.error?.fields).toMatchObject([{ field: 'metadata.a.__proto__', code: 'invalid_value' }])
  })

  test.for(['202e', '2028', '2066'])('S11 j U+%s in a name is refused', async (code, { api, victim }) => {
    const name = `Crate ${String.fromCodePoint(Number.parseInt(code, 16))}gpj.exe`
    const reply = await api.call('createAsset', { token: victim.key.token, body: { name } })
    expect(reply.body.error?.fields).toMatchObject([{ field: 'name', code: 'invalid_value' }])
  })

  test('S11 k a local stack does not sign as production', async ({ victim }) => {
    for (const token of [victim.org.admin, victim.key.token])
      expect(String(jwtParts(token).claims['iss'])).not.toContain('production')
  })
})

describe('S11 between the services', () => {
  test('S11 h only the owner can read the files of the stack', () => {
    const { dataDir } = inject('place')
    const logs = readdirSync(join(dataDir, 'logs')).map((file) => join(dataDir, 'logs', file))
    expect(logs.length).toBeGreaterThan(3)
    const open = logs.filter((file) => (statSync(file).mode & 0o077) !== 0)
    expect(open).toEqual([])
  })

  test('S11 i the password of the services does not log in over MQTT', async () => {
    const password = inject('secrets').nats.services_password
    const options = { protocolVersion: 4, username: 'services', password, reconnectPeriod: 0 } as const
    const login = mqtt.connectAsync(inject('urls').mqtt, options).then((client) => client.endAsync(true))
    await expect(login).rejects.toThrow()
  })

  test('S11 l a token that the gateway signs for one service is refused by all others', async ({
    victim,
  }) => {
    const word = (aud: string) => {
      const claims = { kind: 'key', org_id: victim.org.id, scopes: ['assets:read'], key_id: victim.key.jti }
      const exp = Math.floor(Date.now() / 1_000) + 600
      return forge({ alg: 'EdDSA' }, { ...claims, iss: 'whereabouts-gateway', exp, aud }, gatewayKey())
    }
    const { catalog } = inject('place').urls.api
    const ask = async (principal: string) =>
      (await fetch(`${catalog}/api/v1/assets`, { headers: { [PRINCIPAL_HEADER]: principal } })).status
    expect([await ask(word('tracking')), await ask(word('catalog'))]).toEqual([401, 200])
  })

  test('S11 l only callers with a credential get the state of keys and members', async ({ victim }) => {
    const { keys } = inject('place').urls.api
    const paths = [`keys/${victim.key.jti}`, `members/${victim.org.id}/${victim.org.userId}`]
    const statuses = await Promise.all(
      paths.map(async (path) => (await fetch(`${keys}/internal/${path}`)).status),
    )
    expect(statuses).toEqual([401, 401])
  })
})

/** The 32 bytes of the configuration, as a key. */
function gatewayKey() {
  const seed = Buffer.from(inject('secrets').principal_private_key, 'base64url')
  const key = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), seed])
  return createPrivateKey({ key, format: 'der', type: 'pkcs8' })
}

describe('S11 the installation', () => {
  test('S11 g Grafana of the compose file has no well-known password', () => {
    const compose = source('docker-compose.yml')
    expect(compose).toMatch(/GF_AUTH_BASIC_ENABLED: ['"]?false/)
    expect(compose).toMatch(/GF_SECURITY_ADMIN_PASSWORD/)
  })

  test('S11 m the compose file names images by their known digests', () => {
    const images = [...source('docker-compose.yml').matchAll(/^\s+image: (\S+)$/gm)].map(
      ([, image = '']) => image,
    )
    const listed = JSON.parse(source('deploy/images.json')) as { image: string; digest: string | null }[]
    const unknown = new Set(listed.filter(({ digest }) => digest === null).map(({ image }) => image))
    const ofOthers = images.filter((image) => !image.includes('whereabouts') && !unknown.has(image))
    expect(ofOthers.length).toBeGreaterThan(0)
    expect(ofOthers.filter((image) => !/@sha256:[0-9a-f]{64}$/.test(image))).toEqual([])
  })
})

describe('R5 messages that cannot be read', () => {
  test('R5 an unknown location key is named in the health of the reader', async ({
    api,
    attacker,
    reader,
  }) => {
    const { reader_key } = attacker.reader
    const read = { tag: { type: 'barcode', value: attacker.asset.tagValue }, location: 'NO-SUCH-PLACE' }
    const raw = await reader()
    raw.publish({
      subject: `scans.${attacker.org.id}.${reader_key}.canonical`,
      payload: JSON.stringify({ reads: [read] }),
    })
    await raw.flush()
    const problem = async () =>
      (await api.call('listReaders', { token: attacker.org.admin })).body.data.find(
        (one) => one.reader_key === reader_key,
      )?.health?.last_problem ?? ''
    await expect.poll(problem, { timeout: 10_000, interval: 500 }).toContain('NO-SUCH-PLACE')
  })

  test('R5 a message without a format is a problem of the reader it names', async ({
    api,
    attacker,
    reader,
  }) => {
    const raw = await reader()
    raw.publish({ subject: `scans.${attacker.org.id}.no-format`, payload: '{"reads":[]}' })
    await raw.flush()
    const readers = async () => (await api.call('listReaders', { token: attacker.org.admin })).body.data
    await expect
      .poll(
        async () =>
          (await readers()).find((one) => one.reader_key === 'no-format')?.health?.last_problem ?? '',
        {
          timeout: 10_000,
          interval: 500,
        },
      )
      .not.toBe('')
  })
})
