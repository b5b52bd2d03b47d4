import type { TopologyOptions } from '@whereabouts/messaging/connect/topology'
import { test } from 'vitest'
import { startBus, type Bus } from './bus.ts'

/** `test` with a separate `bus` for each test, which takes about a quarter of a second. */
export const busTest = test.extend<{ topology: TopologyOptions; bus: Bus }>({
  topology: {},
  bus: async ({ topology }, use) => {
    const bus = await startBus(topology)
    await use(bus)
    await bus.stop()
  },
})
