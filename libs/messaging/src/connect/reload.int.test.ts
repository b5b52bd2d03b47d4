import { startBroker } from '@whereabouts/testing/broker/broker'
import { logKeeper } from '@whereabouts/testing/broker/bus'
import { Events } from 'nats'
import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { askServers, reloadServers } from './ask-servers.ts'
import { connect, natsOf } from './connection.ts'

const NATS = resolve(import.meta.dirname, '../../../../deploy/nats')

/** The configuration of the product, with so many reader accounts. */
const configWith = (accounts: number) =>
  readFileSync(join(NATS, 'nats.conf'), 'utf8').replaceAll(/include "(.+)"/g, (_, name: string) => {
    const text = readFileSync(join(NATS, name), 'utf8')
    const lines = text.split('\n')
    return name === 'reader-accounts.conf'
      ? lines
          .filter((line) => !/^R\d+:/.test(line) || Number(/^R(\d+)/.exec(line)?.[1]) < accounts)
          .join('\n')
      : text
  })

test('a broker takes more reader accounts without a restart, three times, and keeps what it has if it cannot', async () => {
  const server = await startBroker({ config: configWith(10) })
  onTestFinished(() => server.stop())
  const file = join(dirname(server.store), 'nats.conf')
  const { logger } = logKeeper()
  const open = (user: 'system' | 'services') =>
    connect({ url: server.url, ...server.users[user], name: user, logger })
  const [system, services] = [await open('system'), await open('services')]
  onTestFinished(async () => void (await Promise.all([system.close(), services.close()])))
  const jsm = await natsOf(services).jetstreamManager()
  await jsm.streams.add({ name: 'KEPT', subjects: ['kept'] })
  const countAccounts = async () => {
    const [answer] = await Array.fromAsync(askServers(system, 'ACCOUNTZ', {}))
    return (answer as { data: { accounts: string[] } }).data.accounts.filter((name) => /^R\d+$/.test(name))
      .length
  }
  let disconnected = 0
  void (async () => {
    for await (const { type } of natsOf(services).status()) if (type === Events.Disconnect) disconnected += 1
  })()
  expect(await countAccounts()).toBe(10)
  for (const accounts of [20, 300, 1_000]) {
    writeFileSync(file, configWith(accounts))
    const [reloaded, ...others] = await reloadServers(system)
    expect([reloaded?.problem, others]).toEqual([undefined, []])
    expect(await countAccounts()).toBe(accounts)
    expect(await natsOf(services).jetstream().publish('kept')).toMatchObject({ stream: 'KEPT' })
  }
  writeFileSync(file, 'accounts {')
  const [refused] = await reloadServers(system)
  expect(refused?.problem).toEqual(expect.any(String))
  expect(await countAccounts()).toBe(1_000)
  expect(disconnected).toBe(0)
})
