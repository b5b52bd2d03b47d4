import { connect, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, inject } from 'vitest'
import { newOrganization } from '../contract/support/organization.ts'
import { beside } from './support/beside.ts'
import { test } from './support/walls.fixture.ts'

const SOCKETS_PER_ADDRESS = 40
const MIB = 2 ** 20
/** At this interval, each socket sends a byte, and ended ones are opened again. */
const ROUND_MS = 500

/**
 * From each of two addresses, 40 sockets that announce a body of 1 MiB and send a byte of it now and then. One that
 * ends is opened again.
 */
function holdBodies(path: string, authorizations: readonly (string | undefined)[]) {
  const { hostname, port } = new URL(inject('urls').base)
  const open = new Set<Socket>()
  let opened = 0
  const begin = (n: number) => {
    const authorization = authorizations[n % authorizations.length]
    const socket = connect(Number(port), hostname)
    open.add(socket)
    opened += 1
    socket.on('error', () => undefined).on('close', () => open.delete(socket))
    const lines = [
      `POST ${path} HTTP/1.1`,
      'host: walls',
      'user-agent: walls/1',
      'content-type: application/json',
      `x-forwarded-for: 198.51.100.${1 + (n % 2)}`,
      `content-length: ${MIB}`,
      ...(authorization === undefined ? [] : [`authorization: Bearer ${authorization}`]),
    ]
    socket.write(`${lines.join('\r\n')}\r\n\r\n `)
  }
  const round = () => {
    for (const socket of open) socket.write(' ')
    for (let n = open.size; n < 2 * SOCKETS_PER_ADDRESS; n += 1) begin(n)
  }
  round()
  const timer = setInterval(round, ROUND_MS)
  return {
    opened: () => opened,
    end() {
      clearInterval(timer)
      for (const socket of open) socket.destroy()
    },
  }
}

/** Token requests of the victim during an attack. A key may send 20 at once. */
const TOKENS = 10

test.for(['without an account', 'of two free organizations'])(
  'N1 unfinished bodies %s delay no body of others',
  async (whose, { api, victim }) => {
    const isAnonymous = whose === 'without an account'
    const attackers = isAnonymous
      ? [undefined]
      : (await Promise.all([newOrganization(api), newOrganization(api)])).map(({ admin }) => admin)
    const token = victim.org.admin
    const { clientId: client_id, clientSecret: client_secret } = victim.readerKey
    const body = { grant_type: 'client_credentials', client_id, client_secret }
    const requests = [
      () => api.call('createAsset', { token, body: { name: 'Made during an attack' } }),
      () =>
        api.call('updateAsset', { token, params: { asset_id: victim.asset.id }, body: { name: 'Changed' } }),
    ]
    const { opened, tokens } = await beside(`unfinished bodies ${whose}`, requests, async (isServed) => {
      const attack = holdBodies(isAnonymous ? '/api/v1/oauth/token' : '/api/v1/assets', attackers)
      const statuses: number[] = []
      for (let n = 0; n < TOKENS; n += 1) {
        await delay(400)
        statuses.push((await api.call('createToken', { body })).status)
      }
      while (!isServed()) await delay(ROUND_MS)
      attack.end()
      return { opened: attack.opened(), tokens: statuses }
    })
    expect(tokens).toEqual(Array.from({ length: TOKENS }, () => 200))
    expect(opened).toBeGreaterThanOrEqual(2 * SOCKETS_PER_ADDRESS)
  },
)
