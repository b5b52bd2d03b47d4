import type { NatsConnection } from 'nats'
import type { Stack } from '@whereabouts/deploy/local/stack'
import { residentMiB } from '../load/processes.ts'

export type Drained = { seconds: number; residentMiB: number }

/**
 * Lets tracking stand still while `prepare` fills SCANS, then counts the time from its going on to its last
 * acknowledgement. Standing still keeps it warm: a restart would measure the compiler.
 */
export async function drainByTracking(
  stack: Stack,
  nc: NatsConnection,
  prepare: () => Promise<void>,
): Promise<Drained> {
  const { pid } = stack.service('tracking')
  if (pid === undefined) throw new Error('tracking does not run')
  process.kill(pid, 'SIGSTOP')
  try {
    await prepare()
  } finally {
    process.kill(pid, 'SIGCONT')
  }
  const started = performance.now()
  const jsm = await nc.jetstreamManager()
  for (;;) {
    const { num_pending, num_ack_pending } = await jsm.consumers.info('SCANS', 'tracking-ingest')
    if (num_pending === 0 && num_ack_pending === 0) break
    if (performance.now() - started > 600_000) throw new Error('tracking did not finish within 10 minutes')
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  return { seconds: (performance.now() - started) / 1000, residentMiB: residentMiB(pid) ?? Number.NaN }
}
