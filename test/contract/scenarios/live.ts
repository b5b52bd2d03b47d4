import type { Scenario } from './scenario.ts'

export const liveScenarios: Record<string, Scenario> = {
  streamMovements: {
    200: () => ({}),
    429: 'needs eleven streams at once: live.test.ts opens them',
  },
  listEvents: {
    200: () => ({}),
    410: 'needs events of a week ago: services/webhook-dispatcher tests it',
    429: 'needs 26 requests that wait: services/webhook-dispatcher tests it',
  },
}
