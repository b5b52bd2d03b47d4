import type { Scenario } from './scenario.ts'

export const liveScenarios: Record<string, Scenario> = {
  streamMovements: {
    200: () => ({}),
    429: 'needs a hundred streams at once: the integration tests of tracking open them',
  },
}
