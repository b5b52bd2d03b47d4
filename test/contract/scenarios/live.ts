import type { Scenario } from './scenario.ts'

export const liveScenarios: Record<string, Scenario> = {
  streamMovements: {
    200: () => ({}),
    429: 'needs eleven streams at once: live.test.ts opens them',
  },
}
