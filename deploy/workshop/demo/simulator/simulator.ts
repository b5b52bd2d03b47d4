import type { Demo } from '../demo-file.ts'
import { warehousePlan } from '../warehouse.ts'
import { createProblems } from './problems.ts'
import { openReaders, type SimulatedReader } from './readers.ts'
import { seededRandom } from './random.ts'
import { createGate } from './gate.ts'
import { createRooms } from './rooms.ts'
import { createScene } from './scene.ts'

export type SimulatorOptions = {
  demo: Demo
  /** Called once for each problem: the broker is unreachable, or refuses the reader key. */
  onProblem?: (text: string) => void
  /** Of the warehouse, besides its two rooms and the gate. Default 40. */
  readsPerSecond?: number
  movesPerSecond?: number
  seed?: number
}

export type SimulatorStats = {
  /** Published reads. `lost` counts those without a connection. */
  reads: number
  messages: number
  lost: number
  moves: number
  /** How many of the assets that walk were seen at least once. */
  assetsSeen: number
  readersConnected: number
}

export type Simulator = {
  stop(): Promise<void>
  stats(): SimulatorStats
}

const TICK_MS = 250
const HEARTBEAT_MS = 30_000
/** Most time to catch up with after a pause, such as a laptop's sleep. */
const MAX_CATCH_UP_MS = 2_000

/**
 * Starts the simulated warehouse: assets move, and nine readers publish reads in their vendors' formats. Resolves when
 * every reader has tried to log in. Failed readers report by `onProblem` and retry.
 */
export async function startSimulator(options: SimulatorOptions): Promise<Simulator> {
  const { demo, onProblem = () => {}, readsPerSecond = 40, movesPerSecond = 2, seed = 1 } = options
  const plan = warehousePlan()
  const readers = openReaders({ demo, plan, problems: createProblems(onProblem) })
  const scene = createScene(plan, seededRandom(seed))
  const rooms = createRooms(plan, seededRandom(seed + 1))
  const gate = createGate(plan, seededRandom(seed + 2))
  await Promise.all(readers.map(({ link }) => link.tried))
  let tickedAt = Date.now()
  const tick = () => {
    const now = Date.now()
    const elapsedSeconds = Math.max(0, Math.min(now - tickedAt, MAX_CATCH_UP_MS)) / 1000
    tickedAt = now
    const at = new Date(now)
    const due = { moves: elapsedSeconds * movesPerSecond, reads: elapsedSeconds * readsPerSecond }
    const seen = new Map([...scene.advance({ now: at, ...due }), ...rooms.advance(at), ...gate.advance(at)])
    for (const reader of readers) reader.show(seen.get(reader.key) ?? [], at)
  }
  const timers = [setInterval(tick, TICK_MS), setInterval(() => sendHeartbeats(readers), HEARTBEAT_MS)]
  return {
    async stop() {
      for (const timer of timers) clearInterval(timer)
      await Promise.all(readers.map(({ link }) => link.stop()))
    },
    stats: () => ({ ...total(readers), moves: scene.moves, assetsSeen: scene.assetsSeen }),
  }
}

function sendHeartbeats(readers: readonly SimulatedReader[]): void {
  for (const reader of readers) reader.heartbeat(new Date())
}

function total(readers: readonly SimulatedReader[]) {
  const sum = (count: (reader: SimulatedReader) => number) =>
    readers.reduce((before, reader) => before + count(reader), 0)
  return {
    reads: sum(({ counts }) => counts.reads),
    messages: sum(({ counts }) => counts.messages),
    lost: sum(({ counts }) => counts.lost),
    readersConnected: sum(({ link }) => (link.isUp ? 1 : 0)),
  }
}
