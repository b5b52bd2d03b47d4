import { join } from 'node:path'
import { lastLines, logsDir } from '../servers/child.ts'
import type { Stack } from './stack.ts'
import type { SimulatorProcess } from '../demo/simulator/simulator-process.ts'
import type { Part } from './supervisor.ts'

const LOG_LINES = 10

/** The processes of a stack, servers first. */
export function stackParts({ postgres, broker, services, dataDir }: Stack): Part[] {
  const logOf = (name: string) => () => lastLines(join(logsDir(dataDir), `${name}.log`), LOG_LINES)
  return [
    { name: 'postgres', ended: postgres.ended, start: postgres.startAgain, logs: logOf('postgres') },
    { name: 'nats', ended: broker.ended, start: broker.restart, logs: logOf('nats') },
    ...Object.values(services).map((service) => ({
      name: service.name,
      ended: () => service.ended(),
      start: async () => service.start(),
      logs: () => service.logs(LOG_LINES),
    })),
  ]
}

/** The simulated warehouse, whose process is replaced at each start. */
export function simulatorPart(first: SimulatorProcess, startAgain: () => Promise<SimulatorProcess>) {
  let current = first
  const part: Part = {
    name: 'simulator',
    ended: () => current.ended(),
    async start() {
      current = await startAgain()
    },
    logs: () => '', // it reports problems to the terminal
  }
  return { part, pid: () => current.pid, stop: () => current.stop() }
}
