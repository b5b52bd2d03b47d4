import type { Verdict } from '../load/verdict.ts'
import { table } from '../load/figures.ts'
import { attach, type Inspected } from '../load/inspector.ts'
import { residentMiB } from '../load/processes.ts'
import { deliverAll, dispatcherPid, type Bench } from './bench.ts'

const DELIVERIES = 50_000
const SAMPLES = 10
/** Until compiled code, pools and caches reach their size. */
const WARM_UP = 5_000
/** Allowed growth of the heap: the noise between two samples. */
const MAX_GROWTH_MIB = 3

type Sample = { deliveries: number; heapMiB: number; residentMiB: number }

/** Heap after a forced collection, and resident memory, at intervals of deliveries. */
export async function measureMemory(bench: Bench): Promise<Verdict[]> {
  const pid = dispatcherPid(bench)
  const inspected = await attach(pid, bench.inspectPort)
  try {
    await deliver(bench, WARM_UP)
    const samples = [await sample(inspected, pid, 0)]
    const step = Math.round((DELIVERIES * bench.effort) / SAMPLES)
    for (let i = 1; i <= SAMPLES; i += 1) {
      await deliver(bench, step)
      samples.push(await sample(inspected, pid, i * step))
    }
    bench.say(memoryTable(samples))
    return [verdictOf(samples)]
  } finally {
    inspected.close()
  }
}

async function deliver(bench: Bench, deliveries: number): Promise<void> {
  await bench.receiver.report()
  await deliverAll(bench, deliveries)
}

async function sample(inspected: Inspected, pid: number, deliveries: number): Promise<Sample> {
  await inspected.heapAfterCollection() // memory held by finalizers is free after the second
  const heapMiB = (await inspected.heapAfterCollection()) / 2 ** 20
  return { deliveries, heapMiB, residentMiB: residentMiB(pid) ?? Number.NaN }
}

function memoryTable(samples: readonly Sample[]): string {
  const rows = samples.map(({ deliveries, heapMiB, residentMiB: resident }) => [
    String(deliveries),
    heapMiB.toFixed(2),
    resident.toFixed(0),
  ])
  const title = `Memory of the dispatcher, after ${WARM_UP} deliveries to warm up`
  return `\n${title}\n${table([['deliveries', 'heap MiB', 'resident MiB'], ...rows])}\n`
}

/** Compares halves: a leak raises the later half, a single late compilation does not. */
function verdictOf(samples: readonly Sample[]): Verdict {
  const smallest = (part: readonly Sample[]) => Math.min(...part.map(({ heapMiB }) => heapMiB))
  const half = Math.ceil(samples.length / 2)
  const growth = smallest(samples.slice(half)) - smallest(samples.slice(0, half))
  return {
    what: `heap growth over ${samples.at(-1)?.deliveries} deliveries`,
    wanted: `≤ ${MAX_GROWTH_MIB} MiB`,
    got: `${growth.toFixed(2)} MiB`,
    reached: growth <= MAX_GROWTH_MIB,
  }
}
