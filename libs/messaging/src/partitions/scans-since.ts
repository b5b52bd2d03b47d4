import type { Broker } from '../connect/connection.ts'
import { countPartitions } from '../connect/topology.ts'
import { readBack, type ReadBackOptions } from '../state/replay.ts'
import { lineOf, partitionOf, streamOf, withNumber } from '../connect/numbers.ts'

type Options = Pick<ReadBackOptions, 'since' | 'batchSize'> & { orgId: number }

/**
 * All scans of an organization that were stored at `since` or later, as consumers received them, in batches. Also those that were
 * stored before its partition was made.
 */
export async function* scansSince(
  broker: Broker,
  { orgId, ...options }: Options,
): ReturnType<typeof readBack> {
  const subject = withNumber(`scans.${orgId}.>`)
  for (const partition of lineOf(partitionOf(orgId, await countPartitions(broker))))
    yield* readBack(broker, { ...options, stream: streamOf('SCANS', partition), subject })
}
