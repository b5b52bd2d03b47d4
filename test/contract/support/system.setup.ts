import { DATABASE } from '@whereabouts/deploy/database/roles'
import type { TestProject } from 'vitest/node'
import type { StackPlace } from '../../system/gateways.ts'
import { newOrganization } from '../../system/organization.ts'
import { startSystem } from '../../system/system.ts'
import { migrateAhead } from './next-schema.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The public port, and the addresses readers connect to. */
    urls: { base: string; nats: string; mqtt: string }
    /** For one more gateway beside the system's own. */
    place: StackPlace
  }
}

/** One system for all contract files: each works in organizations of its own. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  // Attempts are counted by address: each request comes from one of its own unless it says, by X-Forwarded-For.
  const system = await startSystem({
    gateway: { TRUSTED_PROXIES: '127.0.0.1' },
    keys: { ADDRESS_ATTEMPTS: '20', ADDRESS_ATTEMPT_SECONDS: '60' }, // none comes back while a test looks
  })
  const { urls, secrets, dataDir } = system.stack
  // While it runs: a statement prepared before must work after, too.
  await newOrganization(system.stack, 'before the next schema')
  await migrateAhead(urls.postgres, DATABASE)
  const { base, nats, mqtt } = urls
  project.provide('urls', { base, nats, mqtt })
  project.provide('place', { urls, secrets, dataDir })
  return () => system.stop()
}
