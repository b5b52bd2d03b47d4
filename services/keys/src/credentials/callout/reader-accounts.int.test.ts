import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { serveLogins } from '@whereabouts/messaging/readers/callout'
import { connect, natsOf, type Broker } from '@whereabouts/messaging/connect/connection'
import { countConnections } from '@whereabouts/messaging/readers/connection-counts'
import { startBus, type Bus } from '@whereabouts/testing/broker/bus'
import { expect } from 'vitest'
import { test as base, type Key, type Keys, type Org } from '../../../test/keys.fixture.ts'
import { touchKeys } from '../api-keys/api-keys.queries.ts'
import { decideLogin } from './logins.ts'

const NATS = resolve(import.meta.dirname, '../../../../../deploy/nats')

/** The configuration of the product with another number of reader accounts. */
function withReaderAccounts(count: number): string {
  const args = [join(NATS, 'make-reader-accounts.ts'), '--count', String(count)]
  const accounts = execFileSync(process.execPath, args, { encoding: 'utf8' })
  return readFileSync(join(NATS, 'nats.conf'), 'utf8').replace('include "reader-accounts.conf"', accounts)
}

/** A broker with the product's callout. `login`: with the inbox prefix of the key. */
type Readers = { bus: Bus; login: (key: Key) => Promise<Broker> }

const test = base.extend<{ count: number; readers: Readers }>({
  count: 0,
  readers: async ({ keys, count }, use) => {
    const bus = await startBus({}, { config: withReaderAccounts(count) })
    const connections = countConnections(await bus.connect('system'), bus.logger)
    await connections.refresh()
    const callout = await bus.connect('callout')
    const decide = decideLogin({ db: keys.database.db, now: Date.now, connections })
    const logins = serveLogins(callout, bus.server.calloutKeys, decide, bus.logger)
    await natsOf(callout).flush()
    const open: Broker[] = []
    await use({
      bus,
      async login({ client_id, client_secret }) {
        const connection = await connect({
          url: bus.server.url,
          user: client_id,
          password: client_secret,
          name: 'reader',
          inboxPrefix: `_INBOX.${client_id}`,
          logger: bus.logger,
          firstConnectMs: 0,
        })
        open.push(connection)
        return connection
      },
    })
    await Promise.all(open.map((connection) => connection.close()))
    await logins.stop()
    connections.stop()
    await bus.stop()
  },
})

const newReader = async (keys: Keys) => {
  const org = await keys.signUp()
  return { org, key: await keys.createKey(org, { scopes: ['scans:write'] }) }
}

/** The broker's answer to a scan, and the account of each connected reader. */
async function publishAs({ bus, login }: Readers, { org, key }: { org: Org; key: Key }) {
  const connection = await login(key)
  const { stream } = await natsOf(connection).jetstream().publish(`scans.${org.orgId}.dock.canonical`, '{}')
  const connz = await fetch(`${bus.server.monitorUrl}/connz?auth=1&sort=cid`)
  const { connections } = (await connz.json()) as {
    connections: { authorized_user: string; account: string }[]
  }
  return { stream, account: connections.findLast((one) => one.authorized_user === key.jti)?.account }
}

test('a broker without accounts for organizations has the shared one, where readers publish', async ({
  keys,
  readers,
}) => {
  const accountz = await fetch(`${readers.bus.server.monitorUrl}/accountz`)
  expect(((await accountz.json()) as { accounts: string[] }).accounts).toContain('READERS')
  expect(await publishAs(readers, await newReader(keys))).toEqual({ stream: 'SCANS', account: 'READERS' })
})

test.describe('with two accounts', () => {
  test.override({ count: 2 })

  test('the second is for an organization whose readers have sent something, and then readers share one', async ({
    keys,
    readers,
  }) => {
    const [first, second, third] = [await newReader(keys), await newReader(keys), await newReader(keys)]
    expect(await publishAs(readers, first)).toMatchObject({ stream: 'SCANS', account: 'R0000' })
    expect(await publishAs(readers, second)).toMatchObject({ stream: 'SCANS', account: 'READERS' })
    await touchKeys(keys.database.db, [second.key.jti, third.key.jti]) // as the count of connections finds
    expect(await publishAs(readers, second)).toMatchObject({ stream: 'SCANS', account: 'R0001' })
    expect(await publishAs(readers, third)).toMatchObject({ stream: 'SCANS', account: 'READERS' })
  })
})
