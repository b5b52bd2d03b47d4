import { startSystem, type System } from './system.ts'

type Shared = { starting: Promise<System>; users: number }
const shared = globalThis as { [key: symbol]: Shared | undefined }
/** Each vitest project has module instances of its own, so the system hangs on the global object. */
const KEY = Symbol.for('whereabouts.shared-system')

/**
 * The system that all projects of a vitest run share whose tests leave it as it is. Attempts are counted by address with
 * a limit that tests reach: every client comes from an address of its own, by `X-Forwarded-For`. The last `leave` stops it.
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
  keys: { ADDRESS_ATTEMPTS: '20', ADDRESS_ATTEMPT_SECONDS: '60' }, // no attempt comes back during a test
}
