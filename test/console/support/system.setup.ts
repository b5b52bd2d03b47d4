import type { TestProject } from 'vitest/node'
import { startSystem } from '../../system/system.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The console through the gateway, the addresses of readers, and a receiver of webhooks it may post to. */
    console: { base: string; nats: string; mqtt: string; receiver: string }
  }
}

/** One system for all files: each works in organizations of its own. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const system = await startSystem({ gateway: { TRUSTED_PROXIES: '127.0.0.1' } })
  const { base, nats, mqtt } = system.stack.urls
  project.provide('console', { base, nats, mqtt, receiver: system.receiver.url })
  return () => system.stop()
}
