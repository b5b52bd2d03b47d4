import { exportScenarios } from './exports.ts'
import { floorScenarios } from './floor.ts'
import { importScenarios } from './imports.ts'
import { legacyScenarios } from './legacy.ts'
import { liveScenarios } from './live.ts'
import { peopleScenarios } from './people.ts'
import { resourceScenarios } from './resources.ts'
import { ruleScenarios } from './rules.ts'
import { webhookScenarios } from './webhooks.ts'
import type { Scenario } from './scenario.ts'

/** Of each operation. */
export const scenarios: Record<string, Scenario> = {
  ...resourceScenarios,
  ...ruleScenarios,
  ...webhookScenarios,
  ...exportScenarios,
  ...floorScenarios,
  ...importScenarios,
  ...liveScenarios,
  ...peopleScenarios,
  ...legacyScenarios,
}
