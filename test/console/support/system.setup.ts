import type { TestProject } from 'vitest/node'
import { shareSystem } from '../../system/shared-system.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** URLs of the gateway, of the brokers for readers, and of a webhook receiver. */
    console: { base: string; nats: string; mqtt: string; mail: string; receiver: string }
  }
}

/** One system for all files: each test uses its own organization and profile. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { system, leave } = await shareSystem()
  const { base, nats, mqtt, mail } = system.stack.urls
  project.provide('console', { base, nats, mqtt, mail, receiver: system.receiver.url })
  return leave
}
