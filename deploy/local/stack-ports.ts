import { isPortFree, portHolder } from './servers/free-port.ts'

/** `base` is the gateway's. */
export type ExactPorts = { base?: number; nats?: number; mqtt?: number }

const VARIABLES = { base: 'PORT', nats: 'NATS_PORT', mqtt: 'MQTT_PORT' } as const

/** Throws one error that names every port somebody listens on, who that is where knowable, and how to move. */
export async function checkPorts(ports: ExactPorts = {}): Promise<void> {
  const checks = (['base', 'nats', 'mqtt'] as const).map((name) => problemOf(VARIABLES[name], ports[name]))
  const problems = (await Promise.all(checks)).filter((problem) => problem !== undefined)
  if (problems.length > 0) throw new Error(problems.join('\n'))
}

async function problemOf(variable: string, port: number | undefined): Promise<string | undefined> {
  if (port === undefined || (await isPortFree(port))) return undefined
  const holder = portHolder(port)
  const by = holder ? `by "${holder.command}" (pid ${holder.pid})` : 'by another program'
  return `port ${port} is taken ${by}: stop it, or choose another port with ${variable}=${port + 1000}`
}
