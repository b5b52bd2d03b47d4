import type { Logger } from '@whereabouts/service-kit/observe/logging'
import { counter, type Registry } from '@whereabouts/service-kit/observe/metrics'
import { byLabel, startSampling } from '@whereabouts/service-kit/service/sampling'
import type { Kysely } from 'kysely'
import type { Tables } from '../../db.ts'
import { countImports } from './imports.queries.ts'

/** Batches by outcome. Failed batches are retried in smaller parts, so a few failures are harmless. */
export function batchMetrics(registry: Registry): (outcome: 'done' | 'failed') => void {
  const batches = counter(registry, 'import_batches_total', 'Import batches, by outcome.', {
    outcome: ['done', 'failed'],
  })
  return (outcome) => batches.inc({ outcome })
}

const STATES = ['uploading', 'pending', 'running', 'done', 'cancelled', 'failed'] as const

type Options = { across: Kysely<Tables>; registry: Registry; log: Logger }

/** The imports of all organizations, including finished ones. */
export function startImportGauges({ across, registry, log }: Options): { stop(): Promise<void> } {
  return startSampling({
    registry,
    log,
    work: 'imports-sampling',
    everyMs: 15_000,
    gauges: {
      imports: { help: 'Imports, by state.', labelNames: ['state'] },
      import_oldest_waiting_seconds: {
        help: 'Longest time since an unfinished import was last processed; 0 without one.',
      },
    },
    sample: async () => {
      const { states, waiting } = await countImports(across)
      return { imports: byLabel('state', STATES, states), import_oldest_waiting_seconds: waiting ?? 0 }
    },
  })
}
