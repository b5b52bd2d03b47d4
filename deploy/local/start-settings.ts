import { parseArgs } from 'node:util'
import { resolve } from 'node:path'
import { ROOT } from './services.ts'

export type StartSettings = {
  reset: boolean
  simulator: boolean
  dataDir: string
  ports: { base: number; nats: number; mqtt: number }
}

/** The settings of `npm start`. Throws one error that names every variable that is not a port. */
export function startSettings(args: string[], env: NodeJS.ProcessEnv): StartSettings {
  const { values } = parseArgs({
    args,
    options: { reset: { type: 'boolean' }, simulator: { type: 'boolean', default: true } },
    allowNegative: true, // --no-simulator
  })
  const problems: string[] = []
  const port = (variable: string, otherwise: number) => {
    const text = env[variable] || String(otherwise)
    if (!/^\d+$/.test(text) || Number(text) < 1 || Number(text) > 65_535)
      problems.push(`${variable} must be a port, 1 to 65535`)
    return Number(text)
  }
  const ports = { base: port('PORT', 8080), nats: port('NATS_PORT', 4222), mqtt: port('MQTT_PORT', 1883) }
  if (problems.length > 0) throw new Error(problems.join('\n'))
  const dataDir = resolve(ROOT, env['DATA_DIR'] || '.data')
  return { reset: values.reset ?? false, simulator: values.simulator, dataDir, ports }
}
