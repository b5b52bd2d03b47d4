import type { ConsumerRun } from './consumer-run.ts'
import type { Delivery } from './delivery.ts'
import type { Want } from './intake.ts'
import { Lane, type MayTake } from './lane.ts'

type Item = { delivery: Delivery }
type Work<T extends Item> = {
  decode: (taken: readonly Delivery[]) => Promise<T[]>
  /** Settles all of them. Rejects for a bug only. */
  handle: (batch: readonly T[]) => Promise<void>
}

/** A batch that takes longer than this is overtaken by groups that have nothing in it. */
const SLOW_MS = 15
/** A group with more in a batch than this may take long: it is handled after the others, apart from them. */
const HEAVY_BYTES = 64 * 1024

/**
 * Handles batches until stopped, one after the other. While one is handled, which is mostly waiting for a database, what has come
 * of the same groups is decoded. So that other groups need not wait for a batch that takes long, theirs go by a second lane
 * meanwhile. A group is in one lane at a time: its order is kept.
 */
export async function handleInLanes<T extends Item>(
  run: ConsumerRun,
  want: Want,
  { decode, handle }: Work<T>,
) {
  const [main, express] = [new Lane(), new Lane()]
  let isHandling = false
  let isSlow = false

  /** Those of groups in the batch that is being handled, or of any when there is none. */
  const mayFollow: MayTake = (group) => !express.has(group) && (!isHandling || main.has(group))
  const mayJoin: MayTake = (group) => !express.has(group) && !main.has(group)
  const mayOvertake: MayTake = (group) => isSlow && !main.has(group)

  async function handleMain(batch: readonly T[]): Promise<void> {
    isHandling = true
    try {
      for (const part of partsOf(batch)) await handlePart(part)
    } finally {
      isHandling = false
      run.intake.look()
    }
  }

  async function handlePart(part: readonly T[]): Promise<void> {
    const deliveries = part.map(({ delivery }) => delivery)
    const timer = setTimeout(() => {
      isSlow = true
      run.intake.look()
    }, SLOW_MS)
    try {
      await handle(part)
    } finally {
      clearTimeout(timer)
      isSlow = false
      run.release(deliveries)
      main.remove(deliveries)
    }
  }

  async function mainLane(): Promise<void> {
    let before: Promise<void> = Promise.resolve()
    for (;;) {
      const taken = await run.take({ ...want, mayTake: mayFollow })
      if (!taken) break
      main.add(taken)
      run.park(taken)
      const batch = await decode(taken)
      await before
      const others = await run.takeMore({ ...restOf(want, taken), mayTake: mayJoin })
      main.add(others)
      run.park(others)
      batch.push(...(await decode(others)))
      before = handleMain(batch)
      before.catch(() => {}) // seen when it is awaited
    }
    await before
  }

  async function expressLane(): Promise<void> {
    for (;;) {
      const taken = await run.take({ ...want, maxWaitMs: 0, mayTake: mayOvertake })
      if (!taken) break
      for (const delivery of taken) delivery.isExpress = true
      express.add(taken)
      run.park(taken)
      await handle(await decode(taken))
      run.release(taken)
      express.remove(taken)
      run.intake.look()
    }
  }

  await Promise.all([mainLane(), expressLane()])
}

/** Groups with little first, since they are done soon; then those with much. One part where all are alike. */
function partsOf<T extends Item>(batch: readonly T[]): T[][] {
  const bytes = new Map<string, number>()
  for (const { delivery } of batch)
    bytes.set(delivery.group, (bytes.get(delivery.group) ?? 0) + delivery.data.length)
  const isHeavy = ({ delivery }: T) => (bytes.get(delivery.group) ?? 0) > HEAVY_BYTES
  return [batch.filter((item) => !isHeavy(item)), batch.filter(isHeavy)].filter((part) => part.length > 0)
}

function restOf({ max, maxBytes, maxWaitMs }: Want, taken: readonly Delivery[]): Want {
  const bytes = taken.reduce((sum, { data }) => sum + data.length, 0)
  return {
    max: max - taken.length,
    maxWaitMs,
    ...(maxBytes !== undefined && { maxBytes: Math.max(0, maxBytes - bytes) }),
  }
}
