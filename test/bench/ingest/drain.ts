import type { NatsConnection } from 'nats'
import { worked, type Worked } from '../against/rounds.ts'
import type { System } from '../against/systems.ts'

const GIVE_UP_MS = 600_000

/**
 * Suspends tracking while `fill` publishes, then continues it and measures it up to its last acknowledgement. A suspended
 * process stays warm; a restart would measure the compiler.
 */
export async function drain(
  system: System,
  nc: NatsConnection,
  fill: () => Promise<unknown>,
): Promise<Worked> {
  const { pid } = system.stack.service('tracking')
  if (pid === undefined) throw new Error('tracking does not run')
  process.kill(pid, 'SIGSTOP')
  try {
    await fill()
    return await worked(system, pid, async () => {
      process.kill(pid, 'SIGCONT')
      await untilDrained(nc)
    })
  } finally {
    process.kill(pid, 'SIGCONT')
  }
}

async function untilDrained(nc: NatsConnection): Promise<void> {
  const jsm = await nc.jetstreamManager()
  /** Messages that were moved there count too. Queried last, because the query costs the broker more than a message. */
  const overflowing = async () => (await jsm.streams.info('OVERFLOW')).state.messages
  for (const started = performance.now(); ; await new Promise((resolve) => setTimeout(resolve, 10))) {
    const { num_pending, num_ack_pending } = await jsm.consumers.info('SCANS', 'tracking-ingest')
    if (num_pending + num_ack_pending === 0 && (await overflowing()) === 0) return
    if (performance.now() - started > GIVE_UP_MS) throw new Error('tracking did not finish within 10 minutes')
  }
}
