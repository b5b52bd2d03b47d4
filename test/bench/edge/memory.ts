import { table } from '../load/figures.ts'
import { attach, type Inspected } from '../load/inspector.ts'
import { residentMiB } from '../load/processes.ts'
import type { Verdict } from '../load/verdict.ts'
import { getsOf, type Bench } from './speed.ts'

const REQUESTS = 200_000
const SAMPLES = 10
/** Until compiled code, pools and caches reach their size. */
const WARM_UP = 20_000
/** Allowed growth of the heap from the first sample to the last: the noise between two samples. */
const MAX_GROWTH_MIB = 3

type Sample = { requests: number; heapMiB: number; residentMiB: number }

/** Heap after a forced collection, and resident memory, at intervals of mixed requests. */
export async function measureMemory(bench: Bench, inspectPort: number): Promise<Verdict[]> {
  const pid = bench.stack.service('gateway').pid
  if (pid === undefined) throw new Error('the gateway does not run')
  const inspected = await attach(pid, inspectPort)
  try {
    await sendMixed(bench, WARM_UP)
    const samples = [await sample(inspected, pid, 0)]
    const step = Math.round((REQUESTS * bench.effort) / SAMPLES)
    for (let i = 1; i <= SAMPLES; i += 1) {
      await sendMixed(bench, step)
      samples.push(await sample(inspected, pid, i * step))
    }
    bench.say(memoryTable(samples))
    return [verdictOf(samples)]
  } finally {
    inspected.close()
  }
}

/** Served requests, unknown ids, unknown routes and refusals, so that every path through the gateway is used. */
async function sendMixed({ stack, generator, filled }: Bench, requests: number): Promise<void> {
  const { assetIds, callers, limited } = filled
  const headers = callers.map((caller) => caller.through)
  const paths = assetIds.slice(0, 500).map((id) => `/api/v1/assets/${id}`)
  const asked = [
    ...getsOf(paths, headers),
    ...getsOf(['/api/v1/assets?limit=50'], headers).slice(0, 50),
    ...getsOf(['/api/v1/assets/1', '/api/v1/nothing', '/api/v1/assets/x'], headers).slice(0, 100),
    ...getsOf(paths, [limited.through, { ...limited.through, authorization: 'Bearer forged' }]).slice(0, 100),
  ]
  const { statuses } = await generator.run({ origin: stack.urls.base, asked, connections: 16, requests })
  const failed = Object.keys(statuses).filter((status) => status === '0' || status >= '500')
  if (failed.length > 0) throw new Error(`replies by status were ${JSON.stringify(statuses)}`)
}

async function sample(inspected: Inspected, pid: number, requests: number): Promise<Sample> {
  await inspected.heapAfterCollection() // memory held by finalizers is free after the second
  const heapMiB = (await inspected.heapAfterCollection()) / 2 ** 20
  return { requests, heapMiB, residentMiB: residentMiB(pid) ?? Number.NaN }
}

function memoryTable(samples: readonly Sample[]): string {
  const rows = samples.map(({ requests, heapMiB, residentMiB: resident }) => [
    String(requests),
    heapMiB.toFixed(2),
    resident.toFixed(0),
  ])
  const title = `Memory of the gateway, after ${WARM_UP} requests to warm up`
  return `\n${title}\n${table([['requests', 'heap MiB', 'resident MiB'], ...rows])}\n`
}

/** Compares halves: a leak raises the later half, a single late compilation does not. */
function verdictOf(samples: readonly Sample[]): Verdict {
  const smallest = (part: readonly Sample[]) => Math.min(...part.map(({ heapMiB }) => heapMiB))
  const half = Math.ceil(samples.length / 2)
  const growth = smallest(samples.slice(half)) - smallest(samples.slice(0, half))
  return {
    what: `heap growth over ${samples.at(-1)?.requests} requests`,
    wanted: `≤ ${MAX_GROWTH_MIB} MiB`,
    got: `${growth.toFixed(2)} MiB`,
    reached: growth <= MAX_GROWTH_MIB,
  }
}
