import { eventually } from '@whereabouts/testing/eventually'
import { expect, vi } from 'vitest'
import { busTest as test } from '@whereabouts/testing/broker/broker-fixtures'
import type { Bus } from '@whereabouts/testing/broker/bus'
import { readerGrant } from '@whereabouts/testing/broker/reader-grant'
import { serveLogins, type Login } from './callout.ts'
import { natsOf } from '../connect/connection.ts'
import { connectReader, LoginRefusedError } from './reader-connection.ts'

/** Accepts the key `k7` of organization 7. */
async function decide(login: Login) {
  return login.user === 'k7' && login.password === 's7' ? readerGrant(login, 7) : undefined
}

async function letIn(bus: Bus) {
  const callout = await bus.connect('callout')
  serveLogins(callout, bus.server.calloutKeys, decide, bus.logger)
  await natsOf(callout).flush()
}

async function logIn(bus: Bus, clientSecret = 's7') {
  const onRefused = vi.fn<(reason: string) => void>()
  const reader = await connectReader({ url: bus.server.url, clientId: 'k7', clientSecret, onRefused })
  return { reader, onRefused }
}

const message = Buffer.from('{"reads":[]}')

test('store() resolves with the place in the stream', async ({ bus }) => {
  await letIn(bus)
  const { reader } = await logIn(bus)
  expect(await reader.store('scans.7.dock.canonical', message)).toEqual({ stream: 'SCANS', seq: 1 })
  expect(await reader.store('scans.7.dock.canonical', message)).toEqual({ stream: 'SCANS', seq: 2 })
  await reader.close()
})

test('messages that were published before close() arrive', async ({ bus }) => {
  await letIn(bus)
  const { reader } = await logIn(bus)
  expect(reader.publish('scans.7.dock.canonical', message)).toBe(true)
  await reader.close()
  expect(await reader.closed).toBeUndefined()
  expect(reader.publish('scans.7.dock.canonical', message)).toBe(false)
  const other = await logIn(bus)
  expect(await other.reader.store('scans.7.dock.canonical', message)).toMatchObject({ seq: 2 })
  await other.reader.close()
})

test("publish() and store() report that another organization's subject is refused", async ({ bus }) => {
  await letIn(bus)
  const { reader, onRefused } = await logIn(bus)
  await expect(reader.store('scans.8.dock.canonical', message)).rejects.toThrow(
    'not stored: scans.8.dock.canonical: this key may not publish there',
  )
  reader.publish('scans.8.dock.canonical', message)
  await eventually(() => expect(onRefused).toHaveBeenCalled())
  await reader.close()
})

test('a refused login and an unreachable broker are different errors', async ({ bus }) => {
  await letIn(bus)
  await expect(logIn(bus, 'wrong')).rejects.toThrow(LoginRefusedError)
  await bus.server.kill()
  await expect(logIn(bus)).rejects.toThrow(`cannot connect to the broker at ${bus.server.url}`)
})

test('a lost connection is closed for good, and publish() returns false', async ({ bus }) => {
  await letIn(bus)
  const { reader } = await logIn(bus)
  await bus.server.kill()
  await reader.closed
  expect(reader.publish('scans.7.dock.canonical', message)).toBe(false)
})
