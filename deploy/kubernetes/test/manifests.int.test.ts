import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { ROOT } from '../../installation/services.ts'
import { problemsOf } from './checks.ts'
import { connectionsOf } from './connections.ts'
import { readerAccounts } from '../../nats/make-reader-accounts.ts'
import { environments } from './environment.ts'
import { renderInstallation, type Installation } from './installation.fixture.ts'
import { find } from './manifest.ts'
import { prometheusRule, RULE_FILE } from '../prometheus-rule.ts'
import { sharedBetween } from './separation.ts'

let production: Installation
let preview: Installation
let small: Installation
let large: Installation
beforeAll(async () => {
  production = await renderInstallation('production')
  preview = await renderInstallation('preview')
  small = await renderInstallation('small')
  large = await renderInstallation('large')
})

const check = ({ objects, secrets, size, expected }: Installation) =>
  problemsOf(objects, secrets, size, expected)

test('production has no problem', async () => {
  expect(await check(production)).toEqual([])
})

test('small has no problem', async () => {
  expect(await check(small)).toEqual([])
})

test('large has no problem', async () => {
  expect(await check(large)).toEqual([])
})

test('the brokers of large put scans into partitions, and have an account for each organization', () => {
  const given = (installation: Installation) =>
    installation.objects.find(({ metadata }) => metadata.name.startsWith('nats-configuration-'))!.data!
  const { 'partitions.conf': partitions, 'reader-accounts.conf': accounts, ...others } = given(large)
  expect(partitions).toBe(readFileSync(join(ROOT, 'deploy/nats/partitioned.conf'), 'utf8'))
  expect(accounts).toBe(readerAccounts(10_000))
  expect(given(production)).toMatchObject(others)
  expect(Buffer.byteLength(JSON.stringify(given(large)))).toBeLessThan(1024 ** 2) // what a ConfigMap may hold
})

test('try has no problem, and no object of an add-on', async () => {
  const installation = await renderInstallation('try')
  expect(await check(installation)).toEqual([])
  const groups = installation.objects.map(({ apiVersion }) => apiVersion.split('/'))
  const names = groups.map(([group, version]) => (version === undefined ? 'core' : group))
  expect(new Set(names)).toEqual(new Set(['core', 'apps', 'batch', 'networking.k8s.io', 'policy']))
})

test('a broker alone is restarted when it stores nothing; one of three only when JetStream is off', async () => {
  const brokers = [await renderInstallation('try'), production, preview, small, large].map(
    ({ objects }) => find(objects, 'StatefulSet', 'nats')!.spec,
  )
  const asked = brokers.map((spec) => [
    spec.replicas,
    spec.template?.spec.containers[0]?.livenessProbe?.exec?.command.at(-1)?.split('/').at(-1),
  ])
  const ofThree = [3, 'healthz?js-enabled-only=true']
  expect(asked).toEqual([[1, 'healthz'], ofThree, ofThree, ofThree, ofThree])
})

test('the documents name the connections that production and large plan, and those that they have', () => {
  const [kubernetes, scaling] = ['kubernetes', 'scaling'].map((name) =>
    readFileSync(join(ROOT, `docs/${name}.md`), 'utf8'),
  )
  const [one, ...servers] = [production, large].flatMap(({ objects, secrets, expected }) =>
    connectionsOf(objects, environments(objects, secrets), expected.connections),
  )
  expect(kubernetes).toContain(
    `More replicas need more connections: ${one!.wanted} of ${one!.given} are planned.`,
  )
  expect(servers.length).toBe(2)
  for (const { wanted, given } of servers) expect(scaling).toContain(`${wanted} of ${given} connections`)
})

test('preview, with an outside database, has no problem', async () => {
  expect(await check(preview)).toEqual([])
})

test('the public address of gateway and console is the host of the route, over https', () => {
  for (const { objects, secrets } of [production, preview, small]) {
    const hosts = find(objects, 'HTTPRoute', 'gateway')!.spec.hostnames ?? []
    const given = environments(objects, secrets)
    for (const name of ['gateway', 'console'])
      expect(given.get(name)?.['PUBLIC_URL'], name).toBe(`https://${hosts[0]}`)
  }
})

test('neither production nor small shares a namespace, host, issuer or secret with preview', () => {
  expect(sharedBetween(production, preview)).toEqual([])
  expect(sharedBetween(small, preview)).toEqual([])
})

test('the alerts of the cluster are those of deploy/monitoring: node deploy/monitoring/generate.ts', () => {
  expect(readFileSync(RULE_FILE, 'utf8')).toBe(prometheusRule())
})

test('every dashboard of deploy/monitoring is listed in its kustomization', () => {
  const files = readdirSync(join(ROOT, 'deploy/monitoring/dashboards'))
  const shown = new Set(production.objects.flatMap(({ data = {} }) => Object.keys(data)))
  expect(files.length).toBeGreaterThan(0)
  expect(files.filter((file) => !shown.has(file))).toEqual([])
})

test('the brokers have the version of docker-compose.yml', () => {
  const brokers = find(production.objects, 'StatefulSet', 'nats')!.spec.template!.spec.containers
  const compose = readFileSync(join(ROOT, 'docker-compose.yml'), 'utf8')
  expect(brokers.map(({ image }) => image)).toEqual([/image: (nats:.+)/.exec(compose)?.[1]])
})
