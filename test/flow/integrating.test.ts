import { randomUUID } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createClient, unwrap } from '@whereabouts/client/client'
import type { AssetMovedEvent } from '@whereabouts/client/webhooks'
import type { AssetMovedBody } from '@whereabouts/contracts/messages/webhook-events'
import { freePort } from '@whereabouts/deploy/workshop/servers/free-port'
import { afterAll, beforeAll, describe, expect, expectTypeOf, vi } from 'vitest'
import { mintKey, newAsset, newLocation, newOrganization, type Organization } from '../system/organization.ts'
import type { System } from '../system/system.ts'
import { deliverTo, placesIn, runExample, startExample, type ExampleReceiver } from './example-receiver.ts'
import { test } from './flow.fixture.ts'
import { guideBlock, guideBlocks, hasProgram, runOn } from './guide.ts'
import { startShell, type Shell } from './shell.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const PATIENTLY = { timeout: 15_000, interval: 50 }

let system: System
let folder: string
test.beforeAll(({ system: shared }) => {
  system = shared
  folder = mkdtempSync(join(tmpdir(), 'whereabouts-integrating-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** A folder like the project after `npm start`, with the files that the guide uses. */
async function demoFolder(): Promise<string> {
  const admin = { email: 'guide@example.com', password: 'correct-horse-battery' }
  const { base } = system.stack.urls
  const body = { org_name: 'Guide', name: 'Ada', ...admin }
  const { access_token, org } = unwrap(
    await createClient({ baseUrl: base }).POST('/api/v1/auth/signup', { body }),
  ).data
  const scopes = [
    'assets:read',
    'assets:write',
    'locations:read',
    'locations:write',
    'scans:read',
    'scans:write',
  ]
  const session = createClient({ baseUrl: base, token: access_token })
  const { clientId, clientSecret } = await mintKey(session, org.id, 'guide', scopes)
  const demo = {
    base_url: base,
    org_id: org.id,
    admin,
    api_key: { client_id: clientId, client_secret: clientSecret },
  }
  const place = join(folder, 'project')
  mkdirSync(join(place, '.data'), { recursive: true })
  mkdirSync(join(place, 'node_modules'))
  symlinkSync(join(ROOT, 'libs'), join(place, 'libs'))
  symlinkSync(join(ROOT, 'test/node_modules/@whereabouts'), join(place, 'node_modules/@whereabouts'))
  writeFileSync(join(place, '.data/demo.json'), `${JSON.stringify(demo, null, 2)}\n`)
  return place
}

describe.skipIf(!hasProgram('curl') || !hasProgram('bash'))(
  'the guide for integrators (needs curl and bash)',
  () => {
    let project: string
    let shell: Shell
    let second: Shell | undefined
    beforeAll(async () => {
      project = await demoFolder()
      shell = startShell(project)
    })
    afterAll(async () => {
      await second?.stop()
      await shell.stop()
    })

    test('every command works, pasted from top to bottom, and the pump moves', async () => {
      const hookPort = String(await freePort())
      const printed: string[] = []
      for (const { language, label, text } of guideBlocks()) {
        if (language !== 'sh' || label === 'hosted') continue
        const commands = text.replaceAll(':9000', `:${hookPort}`)
        if (label === 'second-terminal') {
          second = startShell(project)
          second.begin(commands.replace('main.ts', `main.ts --port ${hookPort}`))
          await second.until(/"what":"reconciled"/)
        } else printed.push(label === 'refused' ? await shell.refused(commands) : await shell.run(commands))
        if (commands.includes('"location_identifier":"SHOP"}'))
          await second?.until(/"what":"moved","asset":"PUMP-17","from":"Bench","to":"Workshop"/)
      }
      const all = printed.join('\n')
      expect(all).not.toContain('"data":[],') // every list has something to show
      expect(all).toContain('"detail":"unknown field \\"colour\\" (and 1 more validation error)"')
      expect(all).toMatch(/asset_id,asset_external_key[^\n]*\n\d+,PUMP-17,/)
      expect(all).toMatch(/"location_external_key":"SHOP-BENCH"/)
      expect(all).toMatch(/"data":\{"status_code":204,"error":null\}/) // the test event
      expect(second?.printed()).toMatch(/"what":"ignored","asset":"TEST-ASSET"/)
    })

    test('the client of the guide keeps one asset per key, with any number of writers', async () => {
      const source = `
      const { baseUrl, clientId, clientSecret } = JSON.parse(process.argv[2])
      ${guideBlock('js', 'createWhereabouts({')}
      ${guideBlock('js', 'upsertAsset(')}
      const first = await whereabouts.upsertAsset('BELT-3', { name: 'Belt 3' })
      const again = await whereabouts.upsertAsset('BELT-3', { name: 'Belt 3, longer', metadata: { metres: 12 } })
      const atOnce = await Promise.all([1, 2, 3].map((n) => whereabouts.upsertAsset('BELT-4', { name: 'Belt ' + n })))
      const from = { valid_from: '2999-01-01T00:00:00Z' }
      const unlisted = [await whereabouts.upsertAsset('BELT-5', { name: 'Belt 5', ...from }), await whereabouts.upsertAsset('BELT-5', { name: 'Belt 5, wider', ...from })]
      console.log(JSON.stringify({ outcome, first, again, atOnce, unlisted }))`
      writeFileSync(join(project, 'upsert.ts'), source)
      const keys = await shell.run('printf \'{"baseUrl":"%s","clientId":"%s","clientSecret":"%s"}\' "$BASE" "$CLIENT_ID" "$CLIENT_SECRET"') // oxfmt-ignore
      const { outcome, first, again, atOnce, unlisted } = JSON.parse(
        await runOn('', process.execPath, ['upsert.ts', keys], project),
      )
      expect(outcome).toBe('updated')
      expect(again).toMatchObject({ id: first.id, name: 'Belt 3, longer', metadata: { metres: 12 } })
      expect(new Set(atOnce.map((asset: { id: number }) => asset.id)).size).toBe(1)
      expect(unlisted[1]).toMatchObject({ id: unlisted[0].id, outcome: 'updated', name: 'Belt 5, wider' })
    })

    test('the TypeScript of the guide stores genuine deliveries and answers 400 to others', async () => {
      const source = `
      ${guideBlock('ts', 'function receive')}
      import { webhookSignature } from '@whereabouts/client/webhooks'
      const stored = []
      const store = async (event) => void stored.push(event.delivery_id)
      const send = async (age, secret = 'whsec_a', name = 'asset.moved') => {
        const timestamp = String(Math.floor(Date.now() / 1000) - age)
        const body = JSON.stringify({ event: name, delivery_id: name + age, occurred_at: 'x', data: {} })
        const signature = await webhookSignature(body, timestamp, 'whsec_a')
        const headers = new Headers({ 'X-Service-Timestamp': timestamp, 'X-Service-Signature': signature })
        return receive(new TextEncoder().encode(body), headers, secret)
      }
      const statuses = [await send(1), await send(1, 'whsec_a', 'later'), await send(3600), await send(2, 'whsec_b')]
      console.log(JSON.stringify({ statuses, stored }))`
      writeFileSync(join(project, 'receive.ts'), source)
      const printed = JSON.parse(await runOn('', process.execPath, ['receive.ts'], project))
      expect(printed).toEqual({ statuses: [204, 204, 204, 400], stored: ['asset.moved1'] })
    })
  },
)

const SECRET = `whsec_${'0a'.repeat(32)}`
const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString()

function moved(occurredAt: string, to: string, changes: object = {}): string {
  const event: AssetMovedBody = {
    event: 'asset.moved',
    delivery_id: randomUUID(),
    occurred_at: occurredAt,
    data: {
      asset: { id: 4711, external_key: 'PUMP-1', name: 'Pump 1' },
      from_location: null,
      to_location: { id: 12, name: to },
    },
  }
  return JSON.stringify({ ...event, ...changes })
}

describe('the example receiver', () => {
  let file: string
  let example: ExampleReceiver
  let org: Organization
  let env: Record<string, string>
  beforeAll(async () => {
    file = join(folder, 'places.db')
    org = await newOrganization(system.stack, 'Example')
    const { clientId, clientSecret } = await mintKey(org.admin, org.id, 'receiver', ['scans:read'])
    env = { WEBHOOK_SECRET: SECRET, CLIENT_ID: clientId, CLIENT_SECRET: clientSecret }
    example = await startExample(args(), env)
  })
  afterAll(() => example.stop())

  const args = () => ['--data', file, '--base-url', system.stack.urls.base, '--reconcile', '86400']
  const send = (body: string, occurredAt: string, secret = SECRET) =>
    deliverTo(example.url, body, { secret, occurredAt })
  const said = (what: string) => example.lines.filter((line) => line.what === what)

  test('D11.2 processes each delivery once, even if it arrives twice, late or out of order', async () => {
    const [older, newer] = [minutesAgo(2), minutesAgo(1)]
    const delivery = moved(newer, 'Dock')
    expect(await send(delivery, newer)).toBe(204)
    expect(placesIn(file)['PUMP-1']).toMatchObject({ location: 'Dock', as_of: newer })
    expect(await send(delivery, newer)).toBe(204)
    expect(said('duplicate')).toHaveLength(1)
    expect(await send(moved(older, 'Shelf'), older)).toBe(204)
    expect(said('older')).toHaveLength(1)
    expect(placesIn(file)['PUMP-1']).toMatchObject({ location: 'Dock', as_of: newer })
  })

  test('remembers deliveries over a restart', async () => {
    const now = minutesAgo(0)
    const delivery = moved(now, 'Gate')
    expect(await send(delivery, now)).toBe(204)
    expect(await example.stop()).toBe(0)
    example = await startExample(args(), env)
    expect(await send(delivery, now)).toBe(204)
    expect(said('duplicate')).toHaveLength(1)
  })

  test('refuses and drops forged, changed and unsigned deliveries', async () => {
    const before = placesIn(file)
    const now = minutesAgo(0)
    expect(await send(moved(now, 'Nowhere'), now, 'whsec_other')).toBe(400)
    expect(await send(moved(now, 'Nowhere'), minutesAgo(-60), 'whsec_other')).toBe(400)
    expect((await fetch(example.url, { method: 'POST', body: moved(now, 'Nowhere') })).status).toBe(400)
    expect(await send('{"a":1}', now)).toBe(400)
    expect(said('refused').map((line) => line['code'])).toEqual([
      'signature_mismatch',
      'signature_mismatch',
      'missing_header',
      'malformed_body',
    ])
    expect(placesIn(file)).toEqual(before)
  })

  test('ignores events of a later version and test events without an error', async () => {
    const before = placesIn(file)
    const now = minutesAgo(0)
    const { data } = JSON.parse(moved(now, 'Nowhere'))
    const testAsset = { ...data, asset: { ...data.asset, external_key: 'TEST-ASSET' } }
    expect(await send(moved(now, 'Nowhere', { event: 'asset.rested' }), now)).toBe(204)
    expect(await send(moved(now, 'Nowhere', { data: testAsset }), now)).toBe(204)
    expect(said('ignored')).toHaveLength(2)
    expect(placesIn(file)).toEqual(before)
  })

  test('refuses requests that are too large, at another path or not POST, and keeps running', async () => {
    const now = minutesAgo(0)
    expect(await send(moved(now, 'x'.repeat(70_000)), now)).toBe(413)
    expect(await send(moved(now, 'x'.repeat(900_000)), now)).toBe(413)
    expect((await fetch(new URL('/other', example.url), { method: 'POST', body: '{}' })).status).toBe(404)
    const asked = await fetch(example.url)
    expect([asked.status, asked.headers.get('allow')]).toEqual([405, 'POST'])
    expect(await send(moved(now, 'Dock 2'), now)).toBe(204)
  })

  test('D8.6 looks a stale event up in the report instead of accepting or refusing it', async () => {
    const dock = await newLocation(org, 'Real dock', 'REAL-DOCK')
    const asset = await newAsset(org, 'Pallet', [])
    const save = { asset_identifiers: [asset.external_key], location_identifier: 'REAL-DOCK' }
    unwrap(await org.integrator.POST('/api/v1/inventory/save', { body: save }))
    // Again if the look began before the report had the save (D8.9).
    await vi.waitFor(async () => {
      const passes = said('reconciled').length
      const late = minutesAgo(60)
      expect(await send(moved(late, 'Long ago'), late)).toBe(204)
      await vi.waitFor(() => expect(said('reconciled').length).toBeGreaterThan(passes), PATIENTLY)
      expect(placesIn(file)).toMatchObject({ [asset.external_key]: { location: 'REAL-DOCK' } })
    }, PATIENTLY)
    expect(placesIn(file)['PUMP-1']).not.toMatchObject({ location: 'Long ago' })
    expect(dock).toBeGreaterThan(0)
  })

  test('first catches up on what it missed, on every page, including deletions', async () => {
    await newLocation(org, 'Yard', 'YARD')
    const assets = await Promise.all(Array.from({ length: 205 }, (_, i) => newAsset(org, `Crate ${i}`, [])))
    const keys = assets.map((asset) => asset.external_key)
    const save = { asset_identifiers: keys, location_identifier: 'YARD' }
    unwrap(await org.integrator.POST('/api/v1/inventory/save', { body: save }))
    const restart = async () => {
      await example.stop()
      example = await startExample(args(), env)
      await vi.waitFor(() => expect(said('reconciled')).toHaveLength(1), PATIENTLY)
      return placesIn(file)
    }
    const there = (some: string[]) => Object.fromEntries(some.map((key) => [key, { location: 'YARD' }]))
    expect(await restart()).toMatchObject(there(keys))
    const [leaving] = assets.splice(100, 1)
    const path = { asset_id: leaving?.id ?? 0 }
    expect(
      (await org.integrator.DELETE('/api/v1/assets/{asset_id}', { params: { path } })).response.status,
    ).toBe(204)
    // The report may show a deletion up to 2 s late (D8.9).
    await vi.waitFor(
      async () => expect(await restart()).not.toHaveProperty(leaving?.external_key ?? ''),
      PATIENTLY,
    )
    expect(placesIn(file)).toMatchObject(there(assets.map((asset) => asset.external_key)))
  })

  test('reports a refused key, and still accepts deliveries', async () => {
    const other = { ...env, CLIENT_SECRET: 'wrong' }
    const alone = await startExample(
      ['--data', join(folder, 'alone.db'), '--base-url', system.stack.urls.base],
      other,
    )
    await vi.waitFor(() => expect(alone.lines.map(({ what }) => what)).toContain('not reconciled'), PATIENTLY)
    expect(alone.lines.at(-1)?.['error']).toContain('Invalid client credentials')
    const now = minutesAgo(0)
    expect(await deliverTo(alone.url, moved(now, 'Dock'), { secret: SECRET, occurredAt: now })).toBe(204)
    expect(await alone.stop()).toBe(0)
  })
})

describe('the example receiver reports the problem', () => {
  const secret = { WEBHOOK_SECRET: SECRET }
  test.for<[string, string[], Record<string, string>, RegExp]>([
    ['no secret', [], {}, /^WEBHOOK_SECRET is the secret of the webhook/],
    ['half a key', [], { ...secret, CLIENT_ID: 'x' }, /^CLIENT_ID and CLIENT_SECRET belong together/],
    ['an unknown flag', ['--prot', '1'], secret, /^Unknown option '--prot'/],
    ['no port', ['--port', 'nine'], secret, /^--port is 0 to 65535/],
    ['half a certificate', ['--cert', 'x.pem'], secret, /^--cert and --key belong together/],
    ['no such certificate', ['--cert', '/x.pem', '--key', '/x.pem'], secret, /^--cert: ENOENT/],
    ['no such folder', ['--data', '/dev/null/places.db'], secret, /^--data \/dev\/null\/places.db: /],
  ])('with %s, and ends with 2', async ([, args, env, problem]) => {
    const { exitCode, stderr } = await runExample(args, env)
    expect(stderr).toMatch(problem)
    expect(exitCode).toBe(2)
  })

  test('with a port that is taken', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    const address = other.address()
    const port = typeof address === 'object' && address ? address.port : 0
    const data = join(folder, 'taken.db')
    const { exitCode, stderr } = await runExample(['--port', String(port), '--data', data], secret)
    other.close()
    expect(stderr).toMatch(/EADDRINUSE/)
    expect(exitCode).toBe(2)
  })

  test('and prints its help', async () => {
    const { exitCode, stdout } = await runExample(['--help'])
    expect(stdout).toContain('--tolerance')
    expect(exitCode).toBe(0)
  })
})

test('the event of the client has the type that the contract sends', () => {
  expectTypeOf<AssetMovedEvent>().toExtend<AssetMovedBody>()
  expectTypeOf<AssetMovedBody>().toExtend<AssetMovedEvent>()
})
