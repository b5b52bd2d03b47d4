import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Stack, startStack } from '../stack/stack.ts'
import { type Api, createApi } from './api.ts'
import { warehouseImage } from './floor-image.ts'
import { type Demo, demoFile, readDemo } from './demo-file.ts'
import { seedDemo, type SeedOptions } from './seed.ts'

let home: string
let stack: Stack
let api: Api

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'seed-'))
  stack = await startStack({ dataDir: join(home, 'stack'), durable: false })
  api = createApi({ baseUrl: stack.urls.base })
})

afterAll(async () => {
  await stack.stop()
  rmSync(home, { recursive: true, force: true })
})

const dataDir = () => join(home, 'demo')

const seed = (more: Partial<SeedOptions> = {}) => {
  const { base, nats, mqtt, mail } = stack.urls
  return seedDemo({ baseUrl: base, natsUrl: nats, mqttUrl: mqtt, mailUrl: mail, dataDir: dataDir(), ...more })
}

async function session({ admin }: Demo): Promise<string> {
  return (await api('logIn', { body: admin })).data.access_token
}

async function counts(demo: Demo) {
  const token = await session(demo)
  const total = async (operation: 'listLocations' | 'listAssets' | 'listReaders') =>
    (await api(operation, { token, query: { limit: '1' } })).total_count
  return [await total('listLocations'), await total('listAssets'), await total('listReaders')]
}

test('an interrupted start leaves working credentials, and the next start completes the rest', async () => {
  const interrupted = new AbortController()
  const onProgress = (text: string) => text.startsWith('assets ') && interrupted.abort()
  await expect(seed({ onProgress, signal: interrupted.signal })).rejects.toThrow(/imports\/\d+ failed/)
  const left = readDemo(demoFile(dataDir()))
  const demo = await seed()
  expect(demo).toEqual(left)
  expect(await counts(demo)).toEqual([34, 514, 9])
})

test('the file holds the documented fields only and is readable by its owner only', async () => {
  const demo: unknown = JSON.parse(readFileSync(demoFile(dataDir()), 'utf8'))
  const credentials = { client_id: expect.any(String), client_secret: expect.any(String) }
  expect(demo).toEqual({
    base_url: stack.urls.base,
    nats_url: stack.urls.nats,
    mqtt_url: stack.urls.mqtt,
    mail_url: stack.urls.mail,
    org_id: expect.any(Number),
    admin: { email: expect.any(String), password: expect.any(String) },
    api_key: credentials,
    reader_key: credentials,
  })
  expect(statSync(demoFile(dataDir())).mode & 0o777).toBe(0o600)
})

test('a second start changes nothing, and deleted objects stay deleted', async () => {
  const before = await seed()
  const token = await session(before)
  const { data } = await api('listAssets', { token, query: { external_key: 'PALLET-001' } })
  await api('deleteAsset', { token, params: { asset_id: data[0]?.id ?? 0 } })
  const progress: string[] = []
  expect(await seed({ onProgress: (text) => progress.push(text) })).toEqual(before)
  expect(progress).toEqual([])
  expect(await counts(before)).toEqual([34, 513, 9])
})

const FLOOR = { place: 'all' }

async function floorOf(demo: Demo) {
  const { data } = await api('listFloorPlans', { token: await session(demo) })
  return data.map(({ place, image, zones, readers, version }) => ({
    place,
    size: image && [image.width, image.height],
    zones: zones.length,
    readers: readers.length,
    version,
  }))
}

test('the floor is arranged once: what a person changes stays', async () => {
  const demo = await seed()
  const arranged = { place: 'all', size: [1000, 715], zones: 19, readers: 9, version: 2 }
  expect(await floorOf(demo)).toEqual([arranged])
  const body = { zones: [], readers: [], version: 2 }
  await api('saveFloorPlan', { token: await session(demo), params: FLOOR, body })
  await seed()
  expect(await floorOf(demo)).toEqual([{ ...arranged, zones: 0, readers: 0, version: 3 }])
})

test('the next start replaces a revoked reader key and keeps the working one', async () => {
  const before = await seed()
  const params = { org_id: before.org_id, key_id: before.reader_key.client_id }
  await api('revokeApiKey', { token: await session(before), params })
  const after = await seed()
  expect(after.api_key).toEqual(before.api_key)
  expect(after.reader_key).not.toEqual(before.reader_key)
  expect(readDemo(demoFile(dataDir()))).toEqual(after)
})

test('without the file, a second organization is created', async () => {
  const before = await seed()
  rmSync(demoFile(dataDir()))
  const interrupted = new AbortController()
  const onProgress = () => interrupted.abort() // this test needs no data
  await expect(seed({ onProgress, signal: interrupted.signal })).rejects.toThrow('failed')
  const after = readDemo(demoFile(dataDir()))
  expect(after?.org_id).not.toBe(before.org_id)
  expect(after?.admin.email).toMatch(/^demo-[0-9a-f]{6}@/)
})

test('after an interruption between the picture of the floor and its zones, the next start adds the zones', async () => {
  const left = readDemo(demoFile(dataDir()))! // of the organization without data
  const file = { mediaType: 'image/svg+xml', text: warehouseImage() } as const
  await api('saveFloorImage', { token: await session(left), params: FLOOR, file })
  expect(await floorOf(await seed())).toMatchObject([{ zones: 19, readers: 9, version: 2 }])
})

test('an error names the request, the reason and the request id', async () => {
  await expect(api('listAssets', { token: 'nonsense' })).rejects.toThrow(
    /^GET http:\S+\/api\/v1\/assets answered 401: Invalid or expired token \(request [0-9A-Z]{26}\)$/,
  )
})
