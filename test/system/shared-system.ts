import { startSystem, type System } from './system.ts'

type Shared = { starting: Promise<System>; users: number }
const shared = globalThis as { [key: symbol]: Shared | undefined }
/** Each vitest project has its own module instances, so the system is stored on the global object. */
const KEY = Symbol.for('whereabouts.shared-system')

/**
 * The system that the projects of a vitest run share, if their tests do not change it. Tests reach the limit of
 * attempts per address, so every client has its own address in `X-Forwarded-For`. The last `leave` stops the system.
 */
export async function shareSystem(): Promise<{ system: System; leave: () => Promise<void> }> {
  const entry = (shared[KEY] ??= { starting: startSystem(SETTINGS), users: 0 })
  entry.users += 1
  const system = await entry.starting
  return {
    system,
    async leave() {
      entry.users -= 1
      if (entry.users > 0) return
      shared[KEY] = undefined
      await system.stop()
    },
  }
}

const SETTINGS = {
  gateway: { TRUSTED_PROXIES: '127.0.0.1' },
  keys: { ADDRESS_ATTEMPTS: '20', ADDRESS_ATTEMPT_SECONDS: '60' }, // no attempt is refilled during a test
}
