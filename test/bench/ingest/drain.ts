import type { NatsConnection } from 'nats'
import { residentMiB } from '../load/processes.ts'

/** A process that consumes a durable of SCANS. */
export type Worker = { pid: number; durable: string }
export type Drained = { seconds: number; residentMiB: number }

/**
 * Suspends all workers while `fill` publishes, then continues them one after the other and measures the time of each
 * up to its last acknowledgement. Suspended processes stay warm; a restart would measure the compiler.
 */
export async function drainInTurn(
  nc: NatsConnection,
  workers: readonly Worker[],
  fill: () => Promise<unknown>,
): Promise<Drained[]> {
  for (const { pid } of workers) process.kill(pid, 'SIGSTOP')
  try {
    await fill()
    const drained: Drained[] = []
    for (const worker of workers) drained.push(await drain(nc, worker))
    return drained
  } finally {
    for (const { pid } of workers) process.kill(pid, 'SIGCONT')
  }
}

async function drain(nc: NatsConnection, { pid, durable }: Worker): Promise<Drained> {
  const jsm = await nc.jetstreamManager()
  const started = performance.now()
  process.kill(pid, 'SIGCONT')
  /** Messages that were moved there count too. Queried last, because the query costs the broker more than a message. */
  const overflowing = async () =>
    jsm.streams.info('OVERFLOW').then(
      ({ state }) => state.messages,
      () => 0,
    )
  for (;;) {
    const { num_pending, num_ack_pending } = await jsm.consumers.info('SCANS', durable)
    if (num_pending + num_ack_pending === 0 && (await overflowing()) === 0) break
    if (performance.now() - started > 600_000) throw new Error(`${durable} did not finish within 10 minutes`)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  return { seconds: (performance.now() - started) / 1000, residentMiB: residentMiB(pid) ?? Number.NaN }
}
