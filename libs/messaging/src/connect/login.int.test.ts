import { busTest as test } from '@whereabouts/testing/broker/broker-fixtures'
import type { Bus } from '@whereabouts/testing/broker/bus'
import { eventually } from '@whereabouts/testing/eventually'
import { describe, expect } from 'vitest'
import { connect } from './connection.ts'

/** Logs in as a service that has these passwords. */
const logIn = ({ server, logger }: Bus, password: string) =>
  connect({ url: server.url, user: 'services', password, name: 'test', logger })

describe('while the password of services is changed', () => {
  test('a connection with both passwords survives the change, also back to the old one', async ({ bus }) => {
    const old = bus.server.users.services.password
    const broker = await logIn(bus, `new-password,${old}`)
    for (const password of ['new-password', old]) {
      await bus.server.restart(password)
      await eventually(() =>
        expect(bus.log.filter(({ text }) => text === 'broker disconnected')).not.toEqual([]),
      )
      await eventually(() => expect(broker.isConnected()).toBe(true))
      bus.log.length = 0
    }
    await broker.close()
  })

  test('the first connection uses either password', async ({ bus }) => {
    const old = bus.server.users.services.password
    for (const passwords of [`${old},other`, `other,${old}`]) {
      const broker = await logIn(bus, passwords)
      expect(broker.isConnected()).toBe(true)
      await broker.close()
    }
  })

  test('if the broker takes neither, it is refused at once', async ({ bus }) => {
    await expect(logIn(bus, 'one,two')).rejects.toThrow('cannot connect to the broker as services')
  })
})
