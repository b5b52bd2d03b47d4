import { createClient, exchangeKey } from '@whereabouts/client/client'
import { LEGACY_PREFIX } from '@whereabouts/contracts/routes'
import { describe, expect, vi } from 'vitest'
import {
  historyRows,
  mintKey,
  newAsset,
  newLocation,
  newOrganization,
  newWebhook,
  reportRows,
  type Organization,
} from '../system/organization.ts'
import type { System } from '../system/system.ts'
import { test } from './flow.fixture.ts'

let system: System
test.beforeAll(({ system: shared }) => {
  system = shared
})

type Body = { data?: unknown; total_count?: number; error?: { fields: object[] } }

/** A client of the legacy vocabulary whose key may only read and write assets. */
async function legacyClient(org: Organization) {
  const { base } = system.stack.urls
  const key = await mintKey(org.admin, org.id, 'older', ['assets:read', 'assets:write'])
  const { access_token } = await exchangeKey(createClient({ baseUrl: base }), key)
  return async (method: string, path: string, body?: object): Promise<{ status: number; body: Body }> => {
    const res = await fetch(`${base}${LEGACY_PREFIX}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${access_token}`,
        'content-type': 'application/json',
        'user-agent': 'older client',
      },
      ...(body && { body: JSON.stringify(body) }),
    })
    return { status: res.status, body: (await res.json()) as Body }
  }
}

async function scene(name: string) {
  const org = await newOrganization(system.stack, name)
  const dockId = await newLocation(org, 'Dock', 'DOCK-1')
  const shelfId = await newLocation(org, 'Shelf', 'SHELF-1')
  await newWebhook(org, system.receiver.url.replace('/hook', `/${name}`))
  const moves = () =>
    system.receiver.received
      .filter((delivery) => delivery.path === `/${name}`)
      .map((delivery) => {
        const { data } = JSON.parse(delivery.body.toString())
        return [data.asset.external_key, data.from_location?.id ?? null, data.to_location.id]
      })
  return { org, dockId, shelfId, moves, call: await legacyClient(org) }
}

const idOf = async (org: Organization, key: string) => {
  const query = { external_key: [key] }
  const { data } = await org.integrator.GET('/api/v1/assets', { params: { query } })
  return data?.data[0]?.id ?? 0
}

describe('D1.6 current_location of the legacy vocabulary', () => {
  test('an asset created with one is at that location in every view; PUT moves it; each is announced once', async () => {
    const { org, dockId, shelfId, moves, call } = await scene('older-place')
    const created = await call('POST', '/assets', {
      name: 'Box',
      identifier: 'BOX-1',
      current_location: 'DOCK-1',
    })
    expect(created).toMatchObject({ status: 201, body: { data: { current_location: 'DOCK-1' } } })
    expect((await call('GET', '/assets/BOX-1')).body).toEqual(created.body)
    const id = await idOf(org, 'BOX-1')
    expect(await reportRows(org)).toMatchObject([{ asset_id: id, location_id: dockId }])
    expect(await historyRows(org, id)).toMatchObject([{ location_id: dockId, duration_seconds: null }])

    const put = await call('PUT', '/assets/BOX-1', { current_location: 'SHELF-1' })
    expect(put).toMatchObject({ status: 200, body: { data: { current_location: 'SHELF-1' } } })
    expect((await call('GET', '/assets/BOX-1')).body).toEqual(put.body)
    expect((await historyRows(org, id))[0]).toMatchObject({ location_id: shelfId })

    await newAsset(org, 'Never seen', [])
    const expected = [
      ['BOX-1', null, dockId],
      ['BOX-1', dockId, shelfId],
    ]
    await vi.waitFor(() => expect(moves()).toEqual(expected), { timeout: 15_000 })
    const there = await call('GET', '/assets?location=SHELF-1')
    expect(there.body).toMatchObject({ data: [{ identifier: 'BOX-1' }], total_count: 1 })
    expect((await call('GET', '/assets?location=DOCK-1')).body).toMatchObject({ data: [], total_count: 0 })
    const all = await call('GET', '/assets?location=DOCK-1&location=SHELF-1&limit=1')
    expect(all.body).toMatchObject({ data: [{ identifier: 'BOX-1' }], total_count: 1 })
    expect(moves()).toEqual(expected)
  })

  test('while tracking is down, assets are written and read without it; then it is recorded once', async () => {
    const { org, dockId, moves, call } = await scene('older-place-later')
    const tracking = system.stack.service('tracking')
    await tracking.kill('SIGKILL')
    const created = await call('POST', '/assets', {
      name: 'Box',
      identifier: 'BOX-1',
      current_location: 'DOCK-1',
    })
    expect(created.status).toBe(201)
    expect(created.body.data).not.toHaveProperty('current_location')
    expect((await call('GET', '/assets/BOX-1')).body).toEqual(created.body)
    expect((await call('GET', '/assets?location=DOCK-1')).status).toBe(503)
    const nowhere = await call('PUT', '/assets/BOX-1', { current_location: 'NOWHERE' })
    expect(nowhere).toMatchObject({
      status: 400,
      body: { error: { fields: [{ field: 'current_location', code: 'fk_not_found' }] } },
    })

    tracking.start()
    await vi.waitFor(
      async () =>
        expect((await call('GET', '/assets/BOX-1')).body.data).toMatchObject({ current_location: 'DOCK-1' }),
      { timeout: 30_000, interval: 500 },
    )
    const id = await idOf(org, 'BOX-1')
    expect(await historyRows(org, id)).toMatchObject([
      {
        location_id: dockId,
        event_observed_at: (created.body.data as { created_at: string }).created_at,
      },
    ])
    await vi.waitFor(() => expect(moves()).toEqual([['BOX-1', null, dockId]]), { timeout: 15_000 })
  })
})
