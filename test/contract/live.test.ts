import { API_PREFIX } from '@whereabouts/contracts/routes'
import type { LiveMovement } from '@whereabouts/contracts/resources/tracking/live'
import { openEvents, type EventStream } from '@whereabouts/testing/event-stream'
import { randomUUID } from 'node:crypto'
import { describe, expect, inject } from 'vitest'
import { startGateway } from '../system/gateways.ts'
import { connectReader } from '../system/readers.ts'
import type { Api } from './support/api.ts'
import { fromNewAddress } from '../system/addresses.ts'
import { test } from './support/fixtures.ts'
import { newMember } from './support/members.ts'
import { succeed } from './support/organization.ts'
import { newWorld, type World } from './support/world.ts'

const PATIENTLY = { timeout: 10_000 }

type Listening = { token: string; lastId?: string; base?: string; from?: { 'x-forwarded-for': string } }

const listen = ({
  token,
  lastId,
  base = inject('urls').base,
  from = fromNewAddress(),
}: Listening): Promise<EventStream> =>
  openEvents(`${base}${API_PREFIX}/movements/live`, {
    authorization: `Bearer ${token}`,
    'user-agent': 'contract-suite/1',
    ...from,
    ...(lastId !== undefined && { 'last-event-id': lastId }),
  })

/** Resolves when the stream has sent its position: from then on, nothing is missed. */
async function listening(options: Listening): Promise<EventStream> {
  const stream = await listen(options)
  await expect.poll(() => stream.lastId(), PATIENTLY).not.toBe('')
  return stream
}

/** New assets with a tag each, in the order of their names. */
async function newAssets(api: Api, { key }: World, count: number) {
  const names = Array.from({ length: count }, (_, i) => `Crate ${i} ${randomUUID()}`)
  const tagOf = (name: string) => ({ tag_type: 'barcode', value: name.split(' ')[2] ?? '' })
  const bodies = names.map((name) => ({ name, tags: [tagOf(name)] }))
  const made = []
  for (const body of bodies)
    made.push((await succeed(api.call('createAsset', { token: key.token, body }))).body.data)
  return made
}

type Asset = Awaited<ReturnType<typeof newAssets>>[number]

/** The reader of the organization sees them, one after the other. */
async function scan({ org, readerKey, reader }: World, assets: readonly Asset[]): Promise<void> {
  const link = await connectReader({ urls: inject('urls') }, readerKey, 'nats')
  for (const { tags } of assets) {
    const reads = [{ tag: { type: 'barcode', value: tags[0]?.value }, antenna: 1 }]
    await link.publish(org.id, reader.reader_key, 'canonical', Buffer.from(JSON.stringify({ reads })))
  }
  await link.close()
}

const movementsOf = ({ events }: EventStream) =>
  events.map(({ data }): LiveMovement => JSON.parse(data) as LiveMovement)
const assetsOf = (stream: EventStream) => movementsOf(stream).map(({ asset }) => asset.id)
const idsOf = (assets: readonly Asset[]) => assets.map(({ id }) => id)

describe('D10 the live feed', () => {
  test('D10 shows a scan as it happens, and after a pause exactly the missed ones', async ({ api }) => {
    const world = await newWorld(api)
    const assets = await newAssets(api, world, 6)
    const { admin: token } = world.org
    const first = await listening({ token })
    expect(first.headers).toMatchObject({
      'content-type': 'text/event-stream',
      'cache-control': expect.stringContaining('no-store'),
      'x-accel-buffering': 'no',
    })
    await scan(world, assets.slice(0, 2))
    const [event] = await first.next(2)
    expect(event).toMatchObject({ event: 'asset.moved', id: expect.stringMatching(/^\d+-/) })
    const [asset] = assets
    expect(movementsOf(first)[0]).toEqual({
      delivery_id: expect.any(String),
      occurred_at: expect.stringMatching(/Z$/),
      asset: { id: asset?.id, external_key: asset?.external_key, name: asset?.name },
      from_location: null,
      to_location: { id: world.location.id, name: world.location.name },
    })
    first.close()
    await scan(world, assets.slice(2, 5))
    const rows = async () => (await api.call('listAssetLocations', { token })).body.total_count
    await expect.poll(rows, { timeout: 10_000 }).toBe(6)
    const second = await listen({ token, lastId: first.lastId() })
    await second.next(3)
    await scan(world, assets.slice(5))
    await second.next(4)
    expect([...assetsOf(first), ...assetsOf(second)]).toEqual(idsOf(assets))
    second.close()
  })

  test('D10 another organization sees nothing of it', async ({ api }) => {
    const [mine, theirs] = [await newWorld(api), await newWorld(api)]
    const stream = await listening({ token: mine.org.admin })
    const [foreign, own] = [await newAssets(api, theirs, 3), await newAssets(api, mine, 1)]
    await scan(theirs, foreign)
    const rows = async () => (await api.call('listAssetLocations', { token: theirs.org.admin })).body.total_count
    await expect.poll(rows, { timeout: 10_000 }).toBe(4)
    await scan(mine, own)
    await stream.next(1)
    expect(assetsOf(stream)).toEqual(idsOf(own))
    stream.close()
  }) // oxfmt-ignore

  test('D10 an expired id is answered with a reset', async ({ org }) => {
    const stream = await listen({ token: org.admin, lastId: '17-long-ago' })
    expect(await stream.next(1)).toMatchObject([{ event: 'reset', data: '{}' }])
    stream.close()
  })

  test('D9.3 ends when its user is removed from the organization', async ({ api, newOrg }) => {
    const org = await newOrg()
    const { access_token: token, user } = await newMember(api, org, 'member')
    const [member, admin] = [await listening({ token }), await listening({ token: org.admin })]
    const params = { org_id: org.id, user_id: user.id }
    expect((await api.call('removeMember', { params, token: org.admin })).status).toBe(204)
    expect(await member.ended).toBe('complete')
    expect((await listen({ token })).status).toBe(401)
    admin.close()
  })

  test('D10 ends when its gateway stops, and continues at another', async ({ api }) => {
    const world = await newWorld(api)
    const { admin: token } = world.org
    const leaving = await startGateway(inject('place'))
    const first = await listening({ token, base: leaving.base })
    await leaving.stop()
    expect(await first.ended).toBe('complete')
    const assets = await newAssets(api, world, 1)
    await scan(world, assets)
    const second = await listen({ token, lastId: first.lastId() })
    await second.next(1)
    expect(assetsOf(second)).toEqual(idsOf(assets))
    second.close()
  })

  test('D9.5 is for people: a key is refused', async ({ token }) => {
    const refused = await listen({ token })
    expect(refused.status).toBe(403)
    expect(JSON.parse(await refused.body).error.detail).toBe('A signed-in user is required')
  })
})

/** Opens `count` streams at once. */
const listenOften = (count: number, options: Listening) =>
  Promise.all(Array.from({ length: count }, () => listen(options)))

const refusals = async (streams: readonly EventStream[]) =>
  Promise.all(streams.filter(({ status }) => status !== 200).map(async ({ body, status, headers }) => ({
    status,
    retry: headers['retry-after'],
    error: (JSON.parse(await body) as { error: object }).error,
  }))) // oxfmt-ignore

describe('S5 no organization closes the live feed for others', () => {
  test(
    'eleven new organizations that open all they can leave room for the next',
    { timeout: 60_000 },
    async ({ newOrg }) => {
      const taken: EventStream[] = []
      for (let i = 0; i < 11; i += 1) {
        const { admin: token } = await newOrg()
        const streams = await listenOften(102, { token })
        const refused = await refusals(streams)
        expect(refused).toHaveLength(92)
        for (const each of refused)
          expect(each).toMatchObject({
            status: 429,
            retry: '5',
            error: { type: 'rate_limited', detail: 'At most 10 live streams of a user at a time' },
          })
        taken.push(...streams)
      }
      const stream = await listening({ token: (await newOrg()).admin })
      expect(stream.status).toBe(200)
      for (const each of [...taken, stream]) each.close()
    },
  )

  test('one address gets 40 for all its organizations; another address is served', async ({ newOrg }) => {
    const from = fromNewAddress()
    const streams: EventStream[] = []
    for (let i = 0; i < 5; i += 1) streams.push(...(await listenOften(10, { token: (await newOrg()).admin, from })))
    const refused = await refusals(streams)
    expect(refused.map(({ error }) => error)).toMatchObject(
      Array.from({ length: 10 }, () => ({ detail: 'At most 40 live streams of a client address at a time' })),
    )
    const { admin: token } = await newOrg()
    expect((await listen({ token, from })).status).toBe(429)
    const elsewhere = await listen({ token })
    expect(elsewhere.status).toBe(200)
    for (const each of [...streams, elsewhere]) each.close()
  }) // oxfmt-ignore
})
