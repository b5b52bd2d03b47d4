import { isPortFree } from './servers/free-port.ts'

/** `base` is the gateway's. */
export type ExactPorts = { base?: number; nats?: number; mqtt?: number }

const VARIABLES = { base: 'PORT', nats: 'NATS_PORT', mqtt: 'MQTT_PORT' } as const

/** Throws one error that names every taken port and the variable that changes it. */
export async function checkPorts(ports: ExactPorts = {}): Promise<void> {
  const checks = (['base', 'nats', 'mqtt'] as const).map((name) => problemOf(VARIABLES[name], ports[name]))
  const problems = (await Promise.all(checks)).filter((problem) => problem !== undefined)
  if (problems.length > 0) throw new Error(problems.join('\n'))
}

async function problemOf(variable: string, port: number | undefined): Promise<string | undefined> {
  if (port === undefined || (await isPortFree(port))) return undefined
  return `port ${port} is taken: stop the program that listens there (lsof -i :${port}), or set ${variable}=${port + 1000}`
}
