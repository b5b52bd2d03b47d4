import type { Broker } from '@whereabouts/messaging/connect/connection'
import { durableProgress } from '@whereabouts/messaging/consume/durable-progress'
import type { Follower } from '@whereabouts/messaging/state/follow'
import type { Logger } from '@whereabouts/messaging/connect/logger'
import { startBackgroundJob } from '@whereabouts/service-kit/service/background-job'
import { gauge, type Registry } from '@whereabouts/service-kit/observe/metrics'

/**
 * The progress of a projection of catalog, in sequences of the CATALOG stream. That stream has gaps, so `pending`
 * says how many messages are left.
 */
export type Progress = { applied_seq: number; head_seq: number; pending: number }

/** `view`: in the memory of this process. `tables`: in the database, by all replicas together. */
type Projections = { view: Progress; tables: Progress | undefined }

type Options = {
  broker: Broker
  follower: Pick<Follower, 'progress' | 'lastSeq' | 'headSeq' | 'isCaughtUp'>
  registry: Registry
  log: Pick<Logger, 'info' | 'warn'>
  everyMs?: number
}

/** A projection that had caught up and is this many messages behind is being rebuilt. */
const FAR_BEHIND = 1_000

/**
 * Reports the progress of the projections: in metrics, in `now()`, and in the log while one is behind. After a loss
 * of the tables or the stream, it shows when reports will be complete again.
 */
export function startProgressLoop({ broker, follower, registry, log, everyMs = 5_000 }: Options) {
  let tables: Progress | undefined
  let haveTablesCaughtUp = false
  const now = (): Projections => ({ view: viewProgress(follower), tables })

  const job = startBackgroundJob({ name: 'catalog-progress', everyMs, log }, async () => {
    tables = await tableProgress(broker).catch(() => tables) // without the broker, the last known values stay
    const { view } = now()
    if (!follower.isCaughtUp()) log.info({ projection: 'view', ...view }, 'reading the catalog')
    if (tables && (tables.pending >= FAR_BEHIND || (tables.pending > 0 && !haveTablesCaughtUp)))
      log.info({ projection: 'tables', ...tables }, 'reading the catalog')
    haveTablesCaughtUp ||= tables?.pending === 0
  })
  measure(registry, now)
  return { now, stop: () => job.stop() }
}

const viewProgress = (follower: Options['follower']): Progress => ({
  applied_seq: follower.lastSeq(),
  head_seq: Math.max(follower.headSeq(), follower.lastSeq()), // the follower reads the head only when it starts
  pending: follower.progress().pending,
})

async function tableProgress(broker: Broker): Promise<Progress> {
  const { settledSeq, headSeq, pending } = await durableProgress(broker, 'tracking-catalog')
  return { applied_seq: settledSeq, head_seq: headSeq, pending }
}

const HELP = {
  applied_seq: 'Sequence of the CATALOG stream up to which a projection is complete.',
  head_seq:
    'Last sequence of the stream, as far as the projection knows: at the start of the view and what it applied since; for the tables at the last sample.',
  pending: 'Messages that a projection has not applied yet, at the last sample.',
}

function measure(registry: Registry, now: () => Projections): void {
  for (const [field, help] of Object.entries(HELP) as [keyof Progress, string][]) {
    const values = () =>
      Object.entries(now()).flatMap(([projection, progress]) =>
        progress ? [{ labels: { projection }, value: progress[field] }] : [],
      )
    gauge(registry, `catalog_projection_${field}`, help, values, ['projection'])
  }
}
