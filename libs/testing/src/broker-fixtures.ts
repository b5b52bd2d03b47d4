import type { TopologyOptions } from '@whereabouts/messaging/topology'
import { test } from 'vitest'
import { startBus, type Bus } from './bus.ts'

/** `test` with a `bus` of its own for every test: about a quarter of a second each. */
export const busTest = test.extend<{ topology: TopologyOptions; bus: Bus }>({
  topology: {},
  bus: async ({ topology }, use) => {
    const bus = await startBus(topology)
    await use(bus)
    await bus.stop()
  },
})
