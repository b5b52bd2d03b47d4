import { DATABASE } from '@whereabouts/deploy/database/roles'
import type { TestProject } from 'vitest/node'
import type { StackPlace } from '../../system/gateways.ts'
import { newOrganization } from '../../system/organization.ts'
import { shareSystem } from '../../system/shared-system.ts'
import { migrateAhead } from './next-schema.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The public port, and the addresses readers connect to. */
    urls: { base: string; nats: string; mqtt: string; mail: string }
    /** For one more gateway next to the system's own. */
    place: StackPlace
  }
}

/** One system for all files: each test uses its own organizations. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { system, leave } = await shareSystem()
  const { urls, secrets, dataDir } = system.stack
  // While it runs, because statements prepared before must still work.
  await newOrganization(system.stack, 'before the next schema')
  await migrateAhead(urls.postgres, DATABASE)
  const { base, nats, mqtt, mail } = urls
  project.provide('urls', { base, nats, mqtt, mail })
  project.provide('place', { urls, secrets, dataDir })
  return leave
}
