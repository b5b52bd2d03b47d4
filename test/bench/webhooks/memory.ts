import { table } from '../load/figures.ts'
import { attach } from '../load/inspector.ts'
import { residentMiB } from '../load/processes.ts'
import { atMost, type Verdict } from '../load/verdict.ts'
import { deliverAll, dispatcherPid, type Bench } from './bench.ts'

const DELIVERIES = 50_000
const SAMPLES = 10
/** Until compiled code, pools and caches reach their size. */
const WARM_UP = 5_000
/** Allowed growth of the heap: the noise between two samples. */
const MAX_GROWTH_MIB = 3

/** Heap after a forced collection, and resident memory, at intervals of deliveries. */
export async function measureMemory(bench: Bench): Promise<Verdict[]> {
  const { now } = bench.sides
  const pid = dispatcherPid(now)
  const inspected = await attach(pid, bench.inspectPort)
  const step = Math.round((DELIVERIES * bench.effort) / SAMPLES)
  const heaps: number[] = []
  const rows = [['deliveries', 'heap MiB', 'resident MiB']]
  try {
    for (let i = 0; i <= SAMPLES; i += 1) {
      await deliverAll(bench, now, i === 0 ? WARM_UP : step)
      await inspected.heapAfterCollection() // memory held by finalizers is free after the second
      const heap = (await inspected.heapAfterCollection()) / 2 ** 20
      heaps.push(heap)
      rows.push([String(i * step), heap.toFixed(2), (residentMiB(pid) ?? Number.NaN).toFixed(0)])
    }
  } finally {
    inspected.close()
  }
  bench.say(`\nMemory of the dispatcher, after ${WARM_UP} deliveries to warm up\n${table(rows)}\n`)
  // Halves: a leak raises the later half, a single late compilation does not.
  const half = Math.ceil(heaps.length / 2)
  const growth = Math.min(...heaps.slice(half)) - Math.min(...heaps.slice(0, half))
  return [atMost(`heap growth over ${step * SAMPLES} deliveries`, MAX_GROWTH_MIB, [growth], 'MiB')]
}
