import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer, text } from 'node:stream/consumers'
import { gunzipSync } from 'node:zlib'
import { createWhereabouts } from '@whereabouts/client'
import {
  standardWebhookSignature,
  verifyWebhook,
  webhookSignature,
  type WebhookEvent,
} from '@whereabouts/client/webhooks'
import { afterAll, beforeAll, beforeEach, describe, expect, vi } from 'vitest'
import { mintKey, newLocation, newOrganization, newReader } from '../system/organization.ts'
import type { System } from '../system/system.ts'
import { test } from './flow.fixture.ts'
import { installClient, oldestNode } from './packed-client.ts'

const SECRET = `whsec_${'0123456789abcdef'.repeat(4)}`

let folder: string
let system: System
let env: NodeJS.ProcessEnv
test.beforeAll(({ system: shared }) => {
  system = shared
})
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'whereabouts-command-'))
  await installClient(folder)
}, 60_000)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Each test is signed in to an organization of its own, by the environment. */
beforeEach(async () => {
  const { integratorKey } = await newOrganization(system.stack, 'Command line')
  env = {
    PATH: process.env['PATH'],
    XDG_CONFIG_HOME: join(folder, 'config'),
    WHEREABOUTS_BASE: system.stack.urls.base,
    WHEREABOUTS_CLIENT_ID: integratorKey.clientId,
    WHEREABOUTS_CLIENT_SECRET: integratorKey.clientSecret,
  }
})

const start = (args: string[], own: NodeJS.ProcessEnv = env) =>
  spawn(oldestNode, [join(folder, 'node_modules/.bin/whereabouts'), ...args], { cwd: folder, env: own })

/** Runs the command. Resolves with what it printed and its status. */
async function run(args: string[], { input = '', own = env } = {}) {
  const child = start(args, own)
  child.stdin.end(input)
  const [out, said, [status]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ])
  return { out, said, status: status as number }
}

/** The same, where it must succeed. */
async function ok(...args: string[]): Promise<string> {
  const { out, said, status } = await run(args)
  if (status !== 0) throw new Error(`whereabouts ${args.join(' ')} ended with ${status}: ${said}`)
  return out
}

describe('export of files', () => {
  test('D22.3 writes files with the right checksum, keeps them in a second run, and leaves no export behind', async () => {
    await ok('location', 'set', 'DOCK-1', '--name', 'Dock 1')
    await ok('asset', 'set', 'PUMP-17', '--name', 'Pump 17')
    await ok('save', 'DOCK-1', 'PUMP-17')
    const into = join(folder, 'history')
    const first = await run(['export', 'history', '--output', into])
    expect([first.status, first.said]).toEqual([0, expect.stringContaining('history: 1 rows')])
    const [name = '', ...others] = readdirSync(into)
    expect(others).toEqual([])
    const content = gunzipSync(readFileSync(join(into, name))).toString()
    expect(content).toMatch(/PUMP-17,.*,DOCK-1,/)

    // Twice the same end in the same way; a file that is not complete is read again.
    const to = new Date().toISOString()
    for (let round = 0; round < 3; round += 1)
      expect((await run(['export', 'history', '--to', to, '-o', into])).said).toContain('is there already')
    writeFileSync(join(into, name), 'half a file')
    expect((await run(['export', 'history', '--to', to, '-o', into])).said).toContain(`${name}: 1 rows`)
    expect(gunzipSync(readFileSync(join(into, name))).toString()).toBe(content)
    expect(readdirSync(into)).toEqual([name])

    const assets = join(folder, 'assets')
    await ok('export', 'assets', '--format', 'ndjson', '-o', assets)
    const [file = ''] = readdirSync(assets)
    expect(gunzipSync(readFileSync(join(assets, file))).toString()).toContain('"external_key":"PUMP-17"')
    expect(await ok('export', 'assets')).toContain('PUMP-17,Pump 17') // as before
    const whereabouts = createWhereabouts({
      baseUrl: system.stack.urls.base,
      clientId: env['WHEREABOUTS_CLIENT_ID'] ?? '',
      clientSecret: env['WHEREABOUTS_CLIENT_SECRET'] ?? '',
      userAgent: 'tests/1',
    })
    expect(await whereabouts.exports.list()).toEqual([])
  })

  test('refuses what does not go together', async () => {
    expect(await run(['export', 'assets', '--from', '2026-11-20T00:00:00Z'])).toMatchObject({
      status: 2,
      said: '--from and --to are for history and movements.\n',
    })
    expect(await run(['export', 'report', '--format', 'parquet'])).toMatchObject({ status: 2 })
    const early = await run([
      'export',
      'history',
      '--from',
      '1999-01-01T00:00:00Z',
      '-o',
      join(folder, 'early'),
    ])
    expect([early.status, early.said]).toEqual([1, expect.stringContaining('from')])
  })
})

describe('sync', () => {
  test('makes assets what a file says, says it first, retires on demand, and prints what failed', async () => {
    const file = join(folder, 'sync.csv')
    const rows = Array.from(
      { length: 700 },
      (_, i) => `S-${i},Thing ${i},rfid:E2${String(i).padStart(22, '0')}`,
    )
    writeFileSync(file, ['external_key,name,tags', ...rows].join('\n'))
    const preview = await run(['assets', 'sync', file, '--dry-run', '--json'])
    expect(preview.said).toContain('assets: 700, 700 would be created')
    expect(JSON.parse(preview.out)).toEqual({ created: 700, updated: 0, unchanged: 0, failed: 0, retired: 0 })
    expect((await run(['assets', 'sync', file])).said).toContain('assets: 700, 700 created')
    expect((await run(['assets', 'sync', file])).said).toContain('assets: 700, 700 unchanged')
    writeFileSync(
      file,
      [
        'external_key,name',
        ...rows.slice(0, 690).map((row) => row.split(',').slice(0, 2).join(',')),
        'S-3,Twice',
        'NEW,',
      ].join('\n'),
    )
    const failed = await run(['assets', 'sync', file])
    expect(failed.status).toBe(4)
    expect(failed.said).toContain('row 692, NEW: name is required')
    expect(failed.said).toContain('S-3: an earlier item has this external_key')
    writeFileSync(file, ['external_key', ...rows.slice(0, 690).map((row) => row.split(',')[0])].join('\n'))
    const refused = await run(['assets', 'sync', file, '--retire-at-most', '9'])
    expect([refused.status, refused.said]).toEqual([
      1,
      expect.stringContaining('10 assets are not among the 690 items'),
    ])
    expect((await run(['assets', 'sync', file, '--retire-at-most', '10'])).said).toContain('10 retired')
    writeFileSync(file, 'external_key,name,parent_external_key\nH,Hall,\nR,Room,H')
    expect((await run(['locations', 'sync', file])).said).toContain('locations: 2, 2 created')
    expect((await run(['assets', 'sync', '--help'])).out).toContain('--retire-at-most')
    expect((await run(['locations', 'sync', '--help'])).out).not.toContain('--retire-at-most')
  })
})

describe('sign-in', () => {
  test('a key is kept in a file of its own user, and forgotten', async () => {
    const {
      WHEREABOUTS_CLIENT_SECRET: secret,
      WHEREABOUTS_CLIENT_ID: id = '',
      WHEREABOUTS_BASE: base = '',
      ...own
    } = env
    const signedOut = await run(['whoami'], { own })
    expect(signedOut).toMatchObject({ status: 2, out: '' })
    expect(signedOut.said).toContain('whereabouts login')
    const login = await run(['login', '--base', `${base}/api/v1/`, '--client-id', id], {
      own,
      input: `${secret}\n`,
    })
    expect(login).toMatchObject({ status: 0 })
    expect(login.said).not.toContain(secret)
    expect(statSync(join(folder, 'config/whereabouts/key.json')).mode & 0o777).toBe(0o600)
    expect((await run(['whoami'], { own })).out).toMatch(/^Command line \(\d+\)\nscopes: .*assets:read/)
    await run(['logout'], { own })
    expect((await run(['whoami'], { own })).status).toBe(2)
  })

  test('http to another machine is refused before a connection, unless it is asked for', async () => {
    // Nothing answers there: documentation only (RFC 5737).
    const own = { ...env, WHEREABOUTS_BASE: 'http://192.0.2.1:9' }
    for (const args of [['login'], ['whoami']]) {
      const { status, said } = await run(args, { own })
      expect(status).toBe(1)
      expect(said).toContain('http://192.0.2.1:9 would send the key unencrypted')
    }
  })

  test('a key file that others can read is replaced, not written into', async () => {
    const file = join(folder, 'config/whereabouts/key.json')
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, '{}', { mode: 0o666 })
    const other = openSync(file, 'r')
    expect((await run(['login'])).status).toBe(0)
    expect(readFileSync(other, 'utf8')).toBe('{}')
    closeSync(other)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(readdirSync(dirname(file))).toEqual(['key.json'])
    await run(['logout'])
  })

  test('a wrong secret is refused and not kept', async () => {
    const own = { ...env, WHEREABOUTS_CLIENT_SECRET: 'wrong' }
    const { status, said } = await run(['login'], { own })
    expect(status).toBe(1)
    expect(said).toMatch(/request [0-9A-Z]{26}/)
  })
})

test('an asset is created, placed, found, renamed and deleted', async () => {
  expect(await ok('location', 'set', 'DOCK', '--name', 'Dock')).toBe('DOCK created\n')
  expect(await ok('location', 'set', 'DOCK-1', '--name', 'Dock 1', '--parent', 'DOCK')).toBe(
    'DOCK-1 created\n',
  )
  expect(
    await ok('asset', 'set', 'PUMP', '--name', 'Pump', '--tag', 'rfid:AA', '--tag', 'barcode:4006'),
  ).toBe('PUMP created\n')
  expect(await ok('asset', 'set', 'PUMP', '--description', 'old')).toBe('PUMP updated\n')
  expect(await ok('assets', '-q', 'pum')).toMatch(
    /^KEY +NAME +TYPE +TAGS\nPUMP +Pump +asset +(rfid:AA barcode:4006|barcode:4006 rfid:AA)\n$/,
  )
  expect(await ok('save', 'DOCK-1', 'PUMP')).toBe('1 asset is at DOCK-1\n')
  expect(await ok('where', '--in', 'DOCK')).toMatch(/PUMP +Pump +DOCK-1 +\d{4}-/)
  expect(JSON.parse(await ok('where', 'PUMP', '--json'))).toMatchObject({
    asset_external_key: 'PUMP',
    location_external_key: 'DOCK-1',
  })
  expect(await ok('where', '--nowhere')).toBe('Nothing found.\n')
  expect(await ok('where', '--not-seen-since', '2999-01-01T00:00:00Z')).toContain('PUMP')
  expect(await ok('where', '--not-seen-since', '2001-01-01T00:00:00Z')).toBe('Nothing found.\n')
  expect(await run(['where', '--nowhere', '--in', 'DOCK'])).toMatchObject({ status: 2, out: '' })
  expect(await ok('history', 'PUMP')).toMatch(/^SEEN +LOCATION\n\d{4}-\S+ +DOCK-1\n$/)
  await ok('asset', 'delete', 'PUMP')
  expect(await run(['asset', 'get', 'PUMP'])).toMatchObject({ status: 3, said: 'There is no asset PUMP.\n' })
})

test('what is wrong is said, with a status that scripts can tell apart', async () => {
  expect(await run(['asset', 'set', 'NEW'])).toMatchObject({
    status: 2,
    said: 'NEW is a new asset: give it a --name.\n',
  })
  expect(await run(['asset', 'set', 'NEW', '--name', 'N', '--tag', 'qr:1'])).toMatchObject({ status: 2 })
  expect((await run(['asest'])).said).toContain('Did you mean asset')
  expect(await run(['where', '--limit', 'ten'])).toMatchObject({ status: 2, out: '' })
  const refused = await run(['save', 'NOWHERE', 'NOTHING'])
  expect(refused.status).toBe(1)
  expect(refused.said).toContain('NOWHERE')
  expect((await run(['--help'])).out).toContain('Examples')
  for (const args of [['scann', '--help'], ['asset', 'scan', '-h']])
    expect(await run(args)).toMatchObject({ status: 2, out: '', said: expect.stringContaining('unknown command') })
  const { said } = await run(['where', '--at', 'noon'])
  expect(said.match(/Invalid 'at' timestamp/g)).toHaveLength(1)
}) // oxfmt-ignore

test('a CSV file is imported and exported; refused rows are printed and the others kept', async () => {
  const file = join(folder, 'assets.csv')
  writeFileSync(
    file,
    '\ufeffexternal_key,name,metadata,tags\nA-1,"Crate, big","{""maker"":""Linde""}",rfid:A1 ble:B1\nA-2,,,\nA-3,Belt,,\nA-1,"Crate, big",,rfid:A1\n',
  )
  const imported = await run(['import', 'assets', file])
  expect(imported.status).toBe(4)
  expect(imported.said).toContain('row 2, A-2: ')
  expect(imported.said).toMatch(/assets: 4, .*1 refused/)
  const again = await run(['import', 'assets', '-'], { input: 'name,external_key\nBelt,A-3\n' })
  expect(again).toMatchObject({ status: 0, said: 'assets: 1, 1 unchanged\n' })
  for (const input of ['external_key;name\nA-3;Belt\n', 'external_key\tname\nA-3\tBelt\n'])
    expect(await run(['import', 'assets', '-'], { input })).toMatchObject({
      said: 'assets: 1, 1 unchanged\n',
    })
  expect(await run(['import', 'assets', '-'], { input: 'key,name\n' })).toMatchObject({ status: 2 })
  await ok('export', 'assets', '-o', join(folder, 'out.csv'))
  const [header, first] = readFileSync(join(folder, 'out.csv'), 'utf8').split('\n')
  expect(header).toMatch(/^external_key,name,/)
  expect(first).toMatch(/^A-1,"Crate, big",.*rfid:A1/)
  expect(header).toContain(',metadata,tags')
  expect(first).toContain(',"{""maker"":""Linde""}",')
  expect((await run(['import', 'assets', join(folder, 'out.csv')])).said).toMatch(/ unchanged\n$/)
  const broken = await run(['import', 'assets', '-'], { input: 'external_key,name,metadata\nA-3,Belt,{\n' })
  expect(broken.said).toContain('row 1, A-3: metadata must be a JSON object, not {.')
})

test('D19.5 files of spreadsheets are imported, and doubtful rows are counted with examples', async () => {
  const file = join(folder, 'excel.csv')
  const rows =
    'sep=;\r\nExternal Key;NAME;Tags;\r\nX-1;K\xfchlger\xe4t;barcode:8.71432E+12;\r\nX-2;Pump;;\r\n'
  writeFileSync(file, Buffer.from(rows, 'latin1'))
  const imported = await run(['import', 'assets', file])
  expect(imported.status).toBe(0)
  expect(imported.said).toContain(
    'Doubtful rows, which were not refused: 1.\n  row 1: tags "8.71432E+12" was rewritten',
  )
  const utf16 = Buffer.from('\uFEFFexternal_key\tname\r\nX-1\tKühlgerät\r\n', 'utf16le')
  writeFileSync(file, utf16)
  expect((await run(['import', 'assets', file])).said).toBe('assets: 1, 1 unchanged\n')
})

test('watch prints what moves, and nothing else', async () => {
  for (const key of ['W-1', 'W-2']) await ok('location', 'set', key, '--name', key)
  await ok('asset', 'set', 'CART', '--name', 'Cart')
  await ok('save', 'W-1', 'CART')
  const watching = start(['watch', '--every', '1'])
  let [out, said] = ['', '']
  watching.stdout.on('data', (chunk) => (out += String(chunk)))
  watching.stderr.on('data', (chunk) => (said += String(chunk)))
  await vi.waitUntil(() => said.includes('Watching'), { timeout: 10_000 })
  await vi.waitUntil(
    async () => {
      await ok('save', 'W-2', 'CART')
      return out !== '' || (await ok('save', 'W-1', 'CART'), out !== '')
    },
    { timeout: 20_000 },
  )
  watching.kill('SIGINT')
  await once(watching, 'close')
  expect(out).toMatch(/CART {2}W-[12] → W-[12]\n/)
})

test('an import that Ctrl-C ends says what was done and what is left', async () => {
  const file = join(folder, 'many.csv')
  const rows = Array.from({ length: 5_000 }, (_, i) => `M-${i},Asset ${i}`)
  writeFileSync(file, ['external_key,name', ...rows, ''].join('\n'))
  const importing = start(['import', 'assets', file])
  const said = text(importing.stderr)
  await vi.waitUntil(async () => (await ok('assets', '-q', 'M-')) !== 'Nothing found.\n', { timeout: 20_000 })
  importing.kill('SIGINT')
  expect(await once(importing, 'close')).toEqual([130, null])
  const [, done, left] = /assets: (\d+), \1 created\nStopped: (\d+) rows are left/.exec(await said) ?? []
  expect(Number(done)).toBeGreaterThan(0)
  expect(Number(done) + Number(left)).toBe(5_000)
})

test('watch --in prints arrivals, departures and ways back, and movements lists them', async () => {
  for (const key of ['W-1', 'W-2', 'W-3']) await ok('location', 'set', key, '--name', key)
  await ok('asset', 'set', 'CART', '--name', 'Cart')
  await ok('save', 'W-1', 'CART')
  const watching = start(['watch', '--in', 'W-1', '--every', '1'])
  let [out, said] = ['', '']
  watching.stdout.on('data', (chunk) => (out += String(chunk)))
  watching.stderr.on('data', (chunk) => (said += String(chunk)))
  await vi.waitUntil(() => said.includes('Watching'), { timeout: 10_000 })
  let lines = 0
  const moves = ['W-2', 'W-1', 'W-3', 'W-1', 'W-2']
  for (const to of moves) {
    await ok('save', to, 'CART')
    lines += 1
    await vi.waitUntil(() => out.split('\n').length > lines, { timeout: 20_000 })
  }
  watching.kill('SIGINT')
  await once(watching, 'close')
  const path = ['W-1', ...moves]
  const shown = out.trim().split('\n').map((line) => line.replace(/^\S+ +/, ''))
  expect(shown).toEqual(moves.map((to, i) => `CART  ${path[i]} → ${to}`))
  expect(await ok('movements', '--in', 'W-2', '--asset', 'CART')).toMatch(/MOVED +ASSET +NAME +FROM +TO\n\S+ +CART +Cart +\S+ +W-2\n/)
  expect(await ok('movements', '--csv', '--limit', '1')).toMatch(/^moved,asset,name,from,to\n\S+,CART,Cart,\S*,W-2\n$/)
  expect(JSON.parse(await ok('movements', '--json', '--limit', '1'))).toMatchObject({ to_location: { external_key: 'W-2' } })
}) // oxfmt-ignore

test('events are printed, and sent to a program of this machine as a webhook would be', async () => {
  const received: { event: WebhookEvent; type: string | undefined }[] = []
  const headers: NodeJS.Dict<string | string[]>[] = []
  const program = createServer(async (request, response) => {
    const event = await verifyWebhook(await buffer(request), request.headers, SECRET).catch(() => undefined)
    headers.push(request.headers)
    if (event) received.push({ event, type: request.headers['x-service-event'] as string | undefined })
    response.writeHead(event ? 204 : 400).end()
  })
  await once(program.listen(0, '127.0.0.1'), 'listening')
  const to = ['--forward-to', `http://127.0.0.1:${(program.address() as AddressInfo).port}/hooks`]
  const own = { ...env, WHEREABOUTS_WEBHOOK_SECRET: SECRET }
  const cursor = ['--cursor-file', join(folder, 'cursor')]
  const following = [
    start(['listen', ...to, '--type', 'asset.created', 'asset.moved'], own),
    start(['events', '--json', '--from', 'oldest', ...cursor]),
  ]
  const [listening, events] = following.map((child) => {
    const shown = { out: '', said: '' }
    child.stdout.on('data', (chunk) => (shown.out += String(chunk)))
    child.stderr.on('data', (chunk) => (shown.said += String(chunk)))
    return shown
  }) as [{ out: string; said: string }, { out: string; said: string }]
  try {
    await vi.waitUntil(() => listening.said.includes('Ctrl-C') && events.said.includes('Ctrl-C'), { timeout: 10_000 })
    expect(await run(['trigger', 'asset.moved', ...to], { own })).toMatchObject({ status: 0, out: expect.stringMatching(/^asset.moved .* 204\n$/) })
    expect(await run(['trigger', 'asset.moved', ...to, '--secret', `whsec_${'0'.repeat(64)}`])).toMatchObject({ status: 1 })
    for (const command of [['listen'], ['trigger', 'asset.moved']])
      expect(await run([...command, ...to, '--secret', 'whsec_a'])).toMatchObject({ status: 2, out: '', said: expect.stringContaining('the secret must be whsec_') })
    expect(await run(['trigger', 'asset.sold', ...to])).toMatchObject({ status: 2, out: '', said: expect.stringContaining('import.finished') })
    expect(headers[0]).toMatchObject({ 'webhook-id': received[0]?.event.delivery_id, 'webhook-signature': expect.stringMatching(/^v1,/) })
    for (const round of [1, 2, 3]) {
      await ok('location', 'set', `E-${round}`, '--name', 'Place')
      await ok('asset', 'set', `E-ASSET-${round}`, '--name', 'Thing')
      await ok('save', `E-${round}`, `E-ASSET-${round}`)
    }
    const types = () => received.slice(1).map(({ event, type }) => (event.event === type ? type : 'not alike')).toSorted()
    const each = (type: string) => [1, 2, 3].map(() => type)
    await vi.waitFor(() => expect(types()).toEqual([...each('asset.created'), ...each('asset.moved')]), { timeout: 20_000 })
    const printed = () => events.out.trim().split('\n').map((line) => String(JSON.parse(line).type)).toSorted()
    const all = [...each('asset.created'), ...each('asset.moved'), ...each('location.created')]
    await vi.waitFor(() => expect(printed()).toEqual(all), { timeout: 20_000 })
  } finally {
    for (const child of following) child.kill('SIGINT')
    program.close()
  }
}) // oxfmt-ignore

test('a delivery is verified', async () => {
  const timestamp = String(Math.floor(Date.now() / 1_000))
  const body = JSON.stringify({ event: 'asset.moved', delivery_id: 'D', occurred_at: 'x', data: {} })
  const signature = await webhookSignature(body, timestamp, 'whsec_a')
  const args = ['verify-webhook', '--timestamp', timestamp, '--signature', signature]
  const own = { ...env, WHEREABOUTS_WEBHOOK_SECRET: 'whsec_a' }
  expect(await run(args, { own, input: body })).toMatchObject({ status: 0, out: `${body}\n` })
  const forged = await run(args, { own, input: `${body} ` })
  expect(forged).toMatchObject({ status: 1, out: '' })
  expect(forged.said).toContain('signature_mismatch')
  const standard = [
    '--id',
    'D',
    '--timestamp',
    timestamp,
    '--signature',
    await standardWebhookSignature(body, 'D', timestamp, SECRET),
  ]
  const verify = (input: string) => run(['verify-webhook', ...standard, '--secret', SECRET], { input })
  expect(await verify(body)).toMatchObject({ status: 0, out: `${body}\n` })
  expect(await verify(`${body} `)).toMatchObject({
    status: 1,
    said: expect.stringContaining('signature_mismatch'),
  })
})

test('D13.5 webhooks are listed, switched, sent again and given new secrets', async () => {
  const org = await newOrganization(system.stack, 'Webhooks')
  const key = await mintKey(org.admin, org.id, 'webhooks', ['webhooks:admin', 'assets:read', 'assets:write', 'locations:read', 'locations:write', 'scans:write'])
  const forbidden = await run(['webhooks', 'list'])
  expect(forbidden).toMatchObject({ status: 1, out: '', said: expect.stringContaining('webhooks:admin') })
  Object.assign(env, { WHEREABOUTS_CLIENT_ID: key.clientId, WHEREABOUTS_CLIENT_SECRET: key.clientSecret })
  const received: WebhookEvent[] = []
  let [secret, status] = ['', 500]
  const receiver = createServer(async (request, response) => {
    const event = await verifyWebhook(await buffer(request), request.headers, secret).catch(() => undefined)
    if (event) received.push(event)
    response.writeHead(event ? status : 400).end()
  })
  await once(receiver.listen(0, '127.0.0.1'), 'listening')
  try {
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`
    expect(await run(['webhooks', 'create', url, '--type', 'asset.sold'])).toMatchObject({ status: 1, said: expect.stringContaining('asset.moved') })
    const made = await run(['webhooks', 'create', url, '--type', 'asset.created', 'asset.moved'])
    expect(made).toMatchObject({ status: 0, out: expect.stringMatching(/^whsec_[0-9a-f]{64}\n$/), said: expect.stringContaining('only now') })
    secret = made.out.trim()
    const { id } = JSON.parse(await ok('webhooks', 'list', '--json')) as { id: number }
    const all = ['webhooks', 'deliveries', String(id)]
    expect(await ok('webhooks', 'list')).toMatch(/ID +URL +TYPES +RETRY +HEALTH\n\d+ +http\S+ +asset.created asset.moved +standard +ok\n/)
    await ok('location', 'set', 'DOCK', '--name', 'Dock')
    await ok('asset', 'set', 'CART', '--name', 'Cart')
    await ok('save', 'DOCK', 'CART')
    await vi.waitUntil(async () => (await ok(...all, '--state', 'failed')).split('\n').length === 4, { timeout: 30_000 })
    expect(await ok(...all, '--type', 'asset.moved')).toMatch(/LAST ANSWER\n\S+ +asset.moved +\S+ +failed +3 +- +answered 500\n$/)
    expect(await ok(...all, '--state', 'delivered', 'waiting')).toBe('Nothing found.\n')
    status = 204
    const [first] = (await ok(...all, '--json')).trim().split('\n').map((line) => JSON.parse(line) as { delivery_id: string })
    await ok('webhooks', 'resend', String(id), String(first?.delivery_id))
    const isDelivered = (lines: number) => async () => (await ok(...all, '--state', 'delivered')).split('\n').length === lines + 2
    await vi.waitUntil(isDelivered(1), { timeout: 20_000 })
    expect(received.at(-1)?.delivery_id).toBe(first?.delivery_id)
    const hourAgo = new Date(Date.now() - 3_600_000).toISOString()
    expect(await run(['webhooks', 'replay', String(id), '--from', hourAgo])).toMatchObject({ status: 0, out: '2 events are sent again\n', said: '' })
    expect(await ok('webhooks', 'replay', String(id), '--from', hourAgo, '--type', 'asset.moved')).toBe('1 event is sent again\n')
    await vi.waitUntil(isDelivered(2), { timeout: 20_000 })
    const rotated = await run(['webhooks', 'rotate', String(id)])
    expect(rotated).toMatchObject({ status: 0, said: expect.stringContaining('24 hours') })
    expect(rotated.out).not.toBe(made.out)
    await ok('webhooks', 'disable', String(id))
    const off = await run(['webhooks', 'replay', String(id), '--from', hourAgo])
    expect(off).toMatchObject({ status: 1, said: expect.stringContaining('whereabouts webhooks enable') })
    expect(await ok('webhooks', 'list')).toContain('disabled\n')
    await ok('webhooks', 'enable', String(id))
    expect(await run(['webhooks', 'deliveries', '1'])).toMatchObject({ status: 3 })
    expect(await run(['webhooks', 'deliveries', 'erp'])).toMatchObject({ status: 2, said: expect.stringContaining('webhooks list') })
  } finally {
    receiver.close()
  }
}, 120_000) // oxfmt-ignore

test('completion names the commands', async () => {
  const script = `${await ok('completion', 'bash')}\nCOMP_WORDS=(whereabouts asset s); COMP_CWORD=2; _whereabouts; echo "\${COMPREPLY[*]}"`
  const bash = spawn('bash', ['-c', script])
  expect(await text(bash.stdout)).toBe('set\n')
}) // oxfmt-ignore

describe('D19.4 scan', () => {
  const message = (antenna: number) =>
    `{"reads":[{"tag":{"type":"rfid","value":"E280AA"},"antenna":${antenna}}]}`

  test('a vendor checks and sends messages with the key of one reader', async () => {
    const org = await newOrganization(system.stack, 'Vendor')
    const locationId = await newLocation(org, 'Dock', 'DOCK')
    await newReader(org, { key: 'dock-1', format: 'canonical', locationId, antennas: 1 })
    const key = await mintKey(org.admin, org.id, 'vendor', ['scans:write'], { reader_key: 'dock-1' })
    const own = {
      ...env,
      WHEREABOUTS_CLIENT_ID: key.clientId,
      WHEREABOUTS_CLIENT_SECRET: key.clientSecret,
    }
    const scan = (input: string, ...options: string[]) =>
      run(['scan', 'dock-1', 'canonical', ...options], { input, own })

    const good = await scan(message(1), '--check')
    expect(good).toMatchObject({ status: 0, said: '' })
    expect(good.out).toMatch(/rfid:E280AA +1 +- +- +DOCK +unknown_tag\nNo problem\.\n$/)
    const unknown = await scan(message(7), '-', '--check')
    expect(unknown).toMatchObject({ status: 1 })
    expect(unknown.out).toContain('unknown_antenna')
    const json = await scan('{"reads":[', '--check', '--json')
    expect(json.status).toBe(1)
    expect(JSON.parse(json.out).problems).toMatchObject([{ code: 'malformed_json' }])

    writeFileSync(join(folder, 'cut.json'), '{"reads":[')
    const sent = await run(['scan', 'dock-1', 'canonical', 'cut.json'], { own })
    expect(sent).toMatchObject({ status: 0, out: '10 bytes are sent to dock-1.\n' })
    await vi.waitFor(
      async () => {
        const problems = await run(['problems', 'dock-1'], { own })
        expect(problems).toMatchObject({ status: 0, out: expect.stringMatching(/https +malformed_json/) })
      },
      { timeout: 10_000, interval: 500 },
    )
    const missing = await run(['scan', 'dock-1', 'canonical', 'no-such.json'], { own })
    expect(missing).toMatchObject({ status: 2, said: 'Cannot read no-such.json.\n' })
  })

  test('a key for all readers is told what to do, and the help has examples', async () => {
    const refused = await run(['scan', 'dock-1', 'canonical', '--check'], { input: '{}' })
    expect(refused).toMatchObject({ status: 1, out: '' })
    expect(refused.said).toContain('bound to the reader dock-1')
    expect(await ok('scan', '--help')).toContain('whereabouts scan dock-1 impinj message.json --check')
  })
})
