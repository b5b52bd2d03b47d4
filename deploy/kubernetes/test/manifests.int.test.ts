import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { ROOT } from '../../installation/services.ts'
import { problemsOf } from './checks.ts'
import { connectionsGiven, connectionsWanted } from './connections.ts'
import { environments } from './environment.ts'
import { renderInstallation, type Installation } from './installation.fixture.ts'
import { find } from './manifest.ts'
import { prometheusRule, RULE_FILE } from '../prometheus-rule.ts'
import { sharedBetween } from './separation.ts'

let production: Installation
let preview: Installation
let small: Installation
beforeAll(async () => {
  production = await renderInstallation('production')
  preview = await renderInstallation('preview')
  small = await renderInstallation('small')
})

const check = ({ objects, secrets, size, expected }: Installation) =>
  problemsOf(objects, secrets, size, expected)

test('production has no problem', async () => {
  expect(await check(production)).toEqual([])
})

test('small has no problem', async () => {
  expect(await check(small)).toEqual([])
})

test('try has no problem, and no object of an add-on', async () => {
  const installation = await renderInstallation('try')
  expect(await check(installation)).toEqual([])
  const groups = installation.objects.map(({ apiVersion }) => apiVersion.split('/'))
  const names = groups.map(([group, version]) => (version === undefined ? 'core' : group))
  expect(new Set(names)).toEqual(new Set(['core', 'apps', 'batch', 'networking.k8s.io', 'policy']))
})

test('a broker alone is restarted when it stores nothing; one of three only when JetStream is off', async () => {
  const brokers = [await renderInstallation('try'), production, preview, small].map(
    ({ objects }) => find(objects, 'StatefulSet', 'nats')!.spec,
  )
  const asked = brokers.map((spec) => [
    spec.replicas,
    spec.template?.spec.containers[0]?.livenessProbe?.exec?.command.at(-1)?.split('/').at(-1),
  ])
  const ofThree = [3, 'healthz?js-enabled-only=true']
  expect(asked).toEqual([[1, 'healthz'], ofThree, ofThree, ofThree])
})

test('the documents name the connections that production plans, and those that it has', () => {
  const { objects, secrets, expected } = production
  const wanted = connectionsWanted(objects, environments(objects, secrets), expected.connections)
  const [given = 0] = connectionsGiven(objects)
  const documents = ['kubernetes', 'scaling'].map((name) =>
    readFileSync(join(ROOT, `docs/${name}.md`), 'utf8'),
  )
  expect(documents[0]).toContain(`More replicas need more connections: ${wanted} of ${given} are planned.`)
  expect(documents[1]).toContain(`| ${wanted} in the largest installation of \`k8s/\``)
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
