import { sum } from '../load/figures.ts'
import { cpuSecondsOf, machineTime } from '../load/processes.ts'
import { dispatcherPid, type Bench } from './bench.ts'

/** Seconds of processor time by part. */
export type Cpu = Record<string, number>

/** Processor time of each part since its start. */
export function cpuTimes(bench: Bench): Cpu {
  const { stack, receiver, floor } = bench
  const { user, system } = process.cpuUsage()
  return {
    sender: cpuSecondsOf(dispatcherPid(bench)) + cpuSecondsOf(floor.pid),
    postgres: cpuSecondsOf(stack.postgres.pid, { children: true }),
    broker: cpuSecondsOf(stack.broker.pid),
    publisher: (user + system) / 1e6,
    receiver: cpuSecondsOf(receiver.pid),
  }
}

/** Starts counting. The result returns the share of the processors (0 to 1) that other programs took since then. */
export function watchOthers(bench: Bench): () => number {
  const own = () => sum(Object.values(cpuTimes(bench)))
  const [machine, ours] = [machineTime(), own()]
  return () => {
    const { busySeconds, totalSeconds } = machineTime()
    const others = busySeconds - machine.busySeconds - (own() - ours)
    return Math.max(0, others) / (totalSeconds - machine.totalSeconds)
  }
}
