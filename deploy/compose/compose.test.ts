import { loadEnv } from '@whereabouts/service-kit/service/env'
import { DCLinter } from 'dclint'
import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { z } from 'zod'
import { generateSecrets } from '../installation/secrets.ts'
import { SERVICES } from '../installation/services.ts'
import { MigrateConfig, TopologyConfig } from '../step-config.ts'
import { composeText, readCompose, type ComposeService } from './compose-file.ts'
import { envFileOf, missingLines } from './env-file.ts'

const ROOT = resolve(import.meta.dirname, '../..')
const variables = envFileOf(generateSecrets())
const compose = readCompose(variables)

test('the linter accepts docker-compose.yml', () => {
  const linter = new DCLinter({ rules: {}, quiet: false, debug: false, exclude: [] })
  const results = linter.lintFiles([join(ROOT, 'docker-compose.yml')], false)
  expect(results).toHaveLength(1)
  expect(results[0]?.messages).toEqual([])
})

describe('secrets', () => {
  const required = new Set(Array.from(composeText().matchAll(/\$\{(\w+):\?/g), ([, name]) => name!))

  test('are all required by name; none is in the file; make-env writes exactly these', () => {
    expect(Array.from(required).toSorted()).toEqual(Object.keys(variables).toSorted())
    const text = composeText()
    const isInTheFile = (value: string) => text.includes(value)
    expect(Object.values(variables).filter(isInTheFile)).toEqual([])
    // The value of a variable that is named like a secret always comes from outside.
    const named = text.matchAll(/^ +\w*(?:PASSWORD|SECRET|SEED|PRIVATE_KEY)\w*: (.*)$/gm)
    expect(
      Array.from(named, ([, value]) => value).filter((value) => !/^\$\{\w+(:\?.*|:-)?\}$/.test(value!)),
    ).toEqual([])
  })

  test('an .env of an older release gets only the variables that were added since', () => {
    const names = Object.keys(variables)
    const text = names.filter((name) => name !== 'GRAFANA_ADMIN_PASSWORD').join('=x\n')
    const added = [`GRAFANA_ADMIN_PASSWORD=${variables['GRAFANA_ADMIN_PASSWORD']}\n`]
    expect(missingLines(`${text}=x\n`, variables)).toEqual(added)
    expect(missingLines(`${text}=x\nGRAFANA_ADMIN_PASSWORD=mine\n`, variables)).toEqual([])
  })

  test('dashboards are read-only and logins are disabled', () => {
    expect(compose.services['grafana']?.environment).toMatchObject({
      GF_AUTH_ANONYMOUS_ORG_ROLE: 'Viewer',
      GF_AUTH_BASIC_ENABLED: 'false',
      GF_AUTH_DISABLE_LOGIN_FORM: 'true',
      GF_SECURITY_ADMIN_PASSWORD: variables['GRAFANA_ADMIN_PASSWORD'],
    })
  })

  test.for(Object.keys(variables))('without %s nothing starts', (name) => {
    expect(() => readCompose({ ...variables, [name]: '' })).toThrow(`${name} is not set`)
  })
})

describe('the environment of', () => {
  const schemaOf = async (service: string) => {
    const { Config } = (await import(join(ROOT, 'services', service, 'src/config.ts'))) as {
      Config: z.ZodObject
    }
    return Config
  }
  const steps = { migrate: MigrateConfig, topology: TopologyConfig }

  test.for([...SERVICES, 'migrate', 'topology'] as const)('%s matches its schema', async (name) => {
    const schema = name in steps ? steps[name as keyof typeof steps] : await schemaOf(name)
    const environment = compose.services[name]?.environment ?? {}
    expect(Object.keys(environment).filter((key) => !(key in schema.shape))).toEqual([])
    expect(() => loadEnv(schema, environment)).not.toThrow()
  })

  test('nats matches its configuration', () => {
    const { environment = {}, volumes = [] } = compose.services['nats'] ?? {}
    for (const mode of ['encrypted', 'plain']) {
      const conf = ['nats', mode].map((name) => readFileSync(join(ROOT, `deploy/nats/${name}.conf`), 'utf8'))
      const named = new Set(Array.from(conf.join('\n').matchAll(/(?<!#.*)\$([A-Z_]+)/g), ([, name]) => name!))
      const read = Object.keys(environment).filter((name) => name !== 'GOMEMLIMIT')
      expect(read.toSorted()).toEqual(Array.from(named).toSorted())
      expect(volumes).toContain(`./deploy/nats/${mode}.conf:/etc/nats/${mode}.conf:ro`)
      const { command } = readCompose({ ...variables, READERS: mode }).services['nats'] ?? {}
      expect(command).toEqual(['-c', `/etc/nats/${mode}.conf`])
    }
    expect(compose.services['nats']?.command).toEqual(['-c', '/etc/nats/encrypted.conf'])
  })
})

test.for(Object.entries(compose.services))('%s has a limit of memory', ([, service]) => {
  expect(service.mem_limit).toMatch(/^\d+[mg]$/)
})

test('what a request waits for gets more of a busy processor than other containers, which have 1024 shares', () => {
  const preferred = Object.entries(compose.services).filter(([, { cpu_shares: shares }]) => shares)
  const names = [...SERVICES, 'nats', 'postgres'].toSorted()
  expect(preferred.map(([name]) => name).toSorted()).toEqual(names)
  const shares = new Set(preferred.map(([, service]) => service.cpu_shares))
  expect(Array.from(shares)).toEqual([8 * 1024])
})

test('the documentation names the sums of the limits of memory', () => {
  const mebibytes = ({ mem_limit: limit = '' }: ComposeService) =>
    Number.parseInt(limit, 10) * (limit.endsWith('g') ? 1024 : 1)
  const sumOf = (services: ComposeService[]) => services.reduce((sum, one) => sum + mebibytes(one), 0) / 1024
  const services = Object.values(compose.services).filter(({ restart }) => restart !== 'no') // steps end
  const monitoring = services.filter(({ profiles }) => profiles?.includes('monitoring'))
  const text = readFileSync(join(ROOT, 'docs/operating.md'), 'utf8')
  const always = sumOf(services.filter(({ profiles }) => profiles === undefined))
  expect(text).toContain(`${always.toFixed(1)} GiB, and ${sumOf(monitoring).toFixed(1)} GiB more`)
})

describe('PostgreSQL', () => {
  const settings = new Map(
    (compose.services['postgres']?.command ?? []).flatMap((part) =>
      part.includes('=') ? [part.split('=') as [string, string]] : [],
    ),
  )

  test('has a quarter of its memory for buffers, counts on three quarters, and compresses its log', () => {
    const memory = Number.parseInt(compose.services['postgres']?.mem_limit ?? '', 10)
    expect(settings.get('shared_buffers')).toBe(`${memory / 4}GB`)
    expect(settings.get('effective_cache_size')).toBe(`${(memory * 3) / 4}GB`)
    expect(settings.get('wal_compression')).toBe('lz4')
  })
})

test('alerts have a receiver, disks an exporter, and the dump a place that both see', () => {
  const prometheus = readFileSync(join(ROOT, 'deploy/monitoring/prometheus.yml'), 'utf8')
  const hosts = Array.from(prometheus.matchAll(/targets: \['([\w-]+):\d+'\]/g), ([, host]) => host!)
  expect(hosts).toEqual(['alertmanager', 'node-exporter'])
  for (const host of hosts) expect(compose.services[host]?.profiles).toEqual(['monitoring'])
  const { backup, 'node-exporter': exporter } = compose.services
  expect(backup?.volumes).toContain(`metrics:${backup?.environment?.['METRICS_DIR']}`)
  expect(exporter?.volumes).toContain('metrics:/metrics:ro')
  expect(exporter?.command).toContain('--collector.textfile.directory=/metrics')
})

test('certificates and dumps are neither in git nor in the image', () => {
  for (const file of ['.gitignore', 'deploy/Dockerfile.dockerignore'])
    for (const name of ['certificates', 'backups'])
      expect(readFileSync(join(ROOT, file), 'utf8')).toMatch(new RegExp(`^${name}/?$`, 'm'))
})

test.for(Object.entries(compose.services))('the log of %s has a limit', ([, { logging }]) => {
  expect(logging).toEqual({ driver: 'json-file', options: { 'max-file': '4', 'max-size': '10m' } })
})

describe('every service of the product', () => {
  test.for(SERVICES)(
    '%s has a health check, starts after the steps, and cannot change its own files',
    (name) => {
      const service = compose.services[name]
      expect(service?.healthcheck?.test.join(' ')).toContain('/readyz')
      expect(service?.depends_on).toMatchObject({
        migrate: { condition: 'service_completed_successfully' },
        topology: { condition: 'service_completed_successfully' },
      })
      expect(service).toMatchObject({ read_only: true, cap_drop: ['ALL'], restart: 'unless-stopped' })
      expect(existsSync(join(ROOT, service?.command?.[0] ?? 'missing'))).toBe(true)
    },
  )

  test('the gateway waits for its upstreams', () => {
    const { environment = {}, depends_on: waitsFor = {} } = compose.services['gateway'] ?? {}
    const upstreams = Object.values(environment).flatMap(
      (value) => /^http:\/\/([a-z-]+):8080$/.exec(value)?.[1] ?? [],
    )
    expect(upstreams).toHaveLength(5)
    // The API works without the web app.
    for (const name of upstreams.filter((each) => each !== 'console'))
      expect(waitsFor[name]).toEqual({ condition: 'service_healthy' })
  })

  test('every mount of the monitoring profile exists', () => {
    const monitoring = Object.values(compose.services).filter(({ profiles }) =>
      profiles?.includes('monitoring'),
    )
    const mounted = monitoring.flatMap(({ volumes = [] }) =>
      volumes.filter((mount) => mount.startsWith('./')),
    )
    expect(mounted.length).toBeGreaterThan(3)
    expect(mounted.filter((mount) => !existsSync(join(ROOT, mount.split(':')[0]!)))).toEqual([])
  })

  test('the data of PostgreSQL and the broker is in volumes', () => {
    const { nats, postgres } = compose.services
    for (const mounts of [nats?.volumes, postgres?.volumes])
      expect(
        mounts?.filter((mount) => Object.hasOwn(compose.volumes, mount.split(':')[0] ?? '')),
      ).toHaveLength(1)
  })
})
