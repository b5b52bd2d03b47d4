import type { Logger } from '@whereabouts/service-kit/observe/logging'
import type { Registry } from '@whereabouts/service-kit/observe/metrics'
import { byLabel, startSampling } from '@whereabouts/service-kit/service/sampling'
import type { Kysely } from 'kysely'
import type { Tables } from '../../db.ts'
import { addDays, dateOf, listPartitions } from '../../positions/partitions/partitions.queries.ts'
import { countDaysWaiting } from '../../positions/packed/packer.ts'
import { countReaders, countUnknownTags } from './reader-gauges.queries.ts'

type Options = { db: Kysely<Tables>; registry: Registry; log: Logger; everyMs?: number }

const STATES = ['online', 'silent', 'never_heard'] as const
const KINDS = ['configured', 'discovered'] as const

const GAUGES = {
  readers: {
    help: 'Readers by state, configured and discovered.',
    labelNames: ['kind', 'state'],
  },
  readers_skewed: {
    help: 'Readers heard in the last ten minutes whose clock is off by more than 30 seconds.',
  },
  readers_with_problems: {
    help: 'Readers that sent an unusable message in the last ten minutes.',
  },
  unknown_tags: { help: 'Tags on the lists of unknown tags, which are bounded for each organization.' },
  history_days_waiting: { help: 'Days of history that are old enough to be packed and are not.' },
  history_days_ahead: { help: 'Days after today for which history has its partition.' },
}

/** Samples the readers of all organizations, their unknown tags, and the days of `scan`. */
export function startReaderGauges({ db, registry, log, everyMs = 15_000 }: Options): {
  stop(): Promise<void>
} {
  const sample = async () => {
    // One after the other, so that all need one connection.
    const { states, skewed, troubled } = await countReaders(db)
    const tags = await countUnknownTags(db)
    const days = await daysAhead(db)
    return {
      readers: KINDS.flatMap((kind) =>
        byLabel('state', STATES, states[kind] ?? {}).map(({ labels, value }) => ({
          labels: { kind, ...labels },
          value,
        })),
      ),
      readers_skewed: skewed,
      readers_with_problems: troubled,
      unknown_tags: tags,
      history_days_waiting: await countDaysWaiting(db),
      history_days_ahead: days,
    }
  }
  return startSampling({ registry, log, everyMs, work: 'readers-sampling', gauges: GAUGES, sample })
}

/** Counts up to the first missing day, which is where writes fail first. */
async function daysAhead(db: Kysely<Tables>): Promise<number> {
  const days = (await listPartitions(db)).filter(({ of, state }) => of === 'scan' && state === 'attached')
  const today = dateOf(Date.now())
  let ahead = 0
  const isThere = (date: string) => days.some(({ first, until }) => first <= date && date < until)
  while (isThere(addDays(today, ahead + 1))) ahead += 1
  return ahead
}
