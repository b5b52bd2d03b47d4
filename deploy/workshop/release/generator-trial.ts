import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { resolve } from 'node:path'
import { seedDemo } from '../demo/seed.ts'
import { presentServices } from '../../installation/services.ts'
import { startStack } from '../stack/stack.ts'

/**
 * Starts the product of this checkout with the demo's data, and runs `pnpm try:generators` against it. Throws if a
 * generator fails. Returns a line for the user with the time it took.
 */
export async function tryGenerators(root: string): Promise<string> {
  const startedAt = performance.now()
  const dataDir = resolve(root, '.cache/generator-trial')
  rmSync(dataDir, { recursive: true, force: true })
  // Without the console, which would have to be built.
  const services = presentServices().filter((name) => name !== 'console')
  const stack = await startStack({ dataDir, services })
  try {
    const { base: baseUrl, nats: natsUrl, mqtt: mqttUrl, mail: mailUrl } = stack.urls
    const { api_key: key } = await seedDemo({ baseUrl, natsUrl, mqttUrl, mailUrl, dataDir })
    await run(root, { BASE: baseUrl, CLIENT_ID: key.client_id, CLIENT_SECRET: key.client_secret })
  } finally {
    await stack.stop()
  }
  return `The generators took ${Math.round((performance.now() - startedAt) / 1000)} s.`
}

async function run(root: string, env: Record<string, string>): Promise<void> {
  const options = { cwd: root, stdio: 'inherit', env: { ...process.env, ...env } } as const
  const [code] = (await once(spawn('pnpm', ['try:generators'], options), 'exit')) as [number | null]
  if (code !== 0) throw new Error('a client of a code generator failed: its log is above')
}
