import { expect, inject } from 'vitest'
import type { Api } from '../../contract/support/api.ts'
import { test as base } from '../../contract/support/fixtures.ts'
import { snapshot } from '../../contract/support/snapshot.ts'
import { newWorld, type World } from '../../contract/support/world.ts'
import { differences, ownSubjects, type Via } from './differences.ts'
import { openRawNats, type RawNats } from './raw-nats.ts'
import { openRows, type Rows } from './rows.ts'
import { openWatcher, type StreamState, type Watcher } from './watcher.ts'

/** Everything that an attack must not change. */
export type Before = {
  streams: StreamState[]
  view: Record<string, unknown>
  rows: Record<string, string[]>
}

/** Waits until every message is consumed and every outbox is empty. */
export async function settled(watcher: Watcher, rows: Rows): Promise<void> {
  const isQuiet = async () => (await watcher.idle()) && (await rows.areOutboxesEmpty())
  await expect.poll(isQuiet, { timeout: 90_000, interval: 100 }).toBe(true)
}

type Observers = { api: Api; watcher: Watcher; rows: Rows; victim: World }

export async function recordState({ api, watcher, rows, victim }: Observers): Promise<Before> {
  await settled(watcher, rows)
  const view = await snapshot(api, victim)
  return { view, rows: await rows.of(victim.org.id), streams: await watcher.streams() }
}

/**
 * `victim`: A, an organization with one of everything. `attacker`: B, another, who attacks it with its own key.
 * `before`: everything that an attack must not change, recorded before the first one. `unchanged`: fails if the
 * streams or A's rows have changed since; B's own may change. `sameView`: the same for all that A sees through the
 * API; once per file, because requests are counted. `reader`: opens raw connections of B's reader.
 */
export const test = base
  .extend('victim', { scope: 'file' }, ({ api }) => newWorld(api))
  .extend('attacker', { scope: 'file' }, ({ api }) => newWorld(api))
  .extend('watcher', { scope: 'file' }, async ({}, { onCleanup }) => {
    const watcher = await openWatcher(inject('urls').nats, inject('secrets').nats.services_password)
    onCleanup(() => watcher.close())
    return watcher
  })
  .extend('rows', { scope: 'file' }, async ({}, { onCleanup }) => {
    const rows = await openRows(inject('place').urls.postgres)
    onCleanup(() => rows.close())
    return rows
  })
  .extend('before', { scope: 'file' }, async ({ api, watcher, rows, victim, attacker }) => {
    if (victim.org.id === attacker.org.id) throw new Error('an organization cannot attack itself')
    return recordState({ api, watcher, rows, victim }) // both exist before the recording
  })
  .extend('reader', async ({ attacker }, { onCleanup }) => {
    const open: RawNats[] = []
    onCleanup(() => {
      for (const raw of open) raw.close()
    })
    return async (key: { clientId: string; clientSecret: string } = attacker.readerKey) => {
      const raw = await openRawNats(inject('urls').nats, key)
      open.push(raw)
      return raw
    }
  })
  .extend('unchanged', ({ watcher, rows, victim, attacker }) => async (before: Before, via: Via = 'NATS') => {
    await settled(watcher, rows)
    const changes = () => differences(watcher, before.streams, ownSubjects(attacker.org.id, via))
    // The session of a client that just left is removed a moment later.
    if (via === 'MQTT') await expect.poll(changes, { timeout: 5_000 }).toEqual([])
    expect(await changes()).toEqual([])
    expect(await rows.of(victim.org.id)).toEqual(before.rows)
  })
  .extend('sameView', ({ api, victim }) => async (before: Before) => {
    expect(await snapshot(api, victim)).toEqual(before.view)
  })
