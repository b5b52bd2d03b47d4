import { readFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { expect } from 'vitest'
import { applied, PRODUCTION, test, type Answers } from './kubectl.fixture.ts'

const failed = (job: string): Answers => [
  [`*"get job ${job} "*`, 'echo Failed'],
  ['*" logs "*', 'echo "relation does not exist"'],
]

test('servers are ready before the steps start, and the steps are complete before a service changes', ({
  cluster,
}) => {
  const { status, calls } = cluster.run('deploy.sh', [PRODUCTION])
  expect(status).toBe(0)
  const server = 'apply --server-side --force-conflicts --namespace whereabouts --selector deploy-stage='
  const at = (part: string) => calls.findIndex((call) => call.endsWith(part) || call.includes(`${part} `))
  const order = [
    `${server}servers`,
    'wait --for condition=Ready clusters.postgresql.cnpg.io/postgres',
    'rollout status statefulset/nats',
    'delete job migrate --ignore-not-found',
    'delete job topology --ignore-not-found',
    `${server}steps`,
    'get job migrate',
    'get job topology',
    `${server}services`,
    'rollout status deployment/gateway',
  ].map((part) => (part.startsWith('apply') ? calls.indexOf(part) : at(part)))
  expect(order).not.toContain(-1)
  expect(order).toEqual(order.toSorted((a, b) => a - b))
  expect(calls.filter((call) => call.includes('rollout status deployment/'))).toHaveLength(6)
})

test('a failed migration is reported and no service changes', ({ cluster }) => {
  const { status, stderr, calls } = cluster.run('deploy.sh', [PRODUCTION], failed('migrate'))
  expect(status).toBe(1)
  expect(stderr).toContain('relation does not exist')
  expect(stderr).toContain('migrate did not complete (Failed)')
  expect(applied(calls)).toEqual(['servers', 'steps'])
})

test('the wait for a step ends after STEP_TIMEOUT', ({ cluster }) => {
  const running: Answers = [['*"get job topology "*', ':']]
  const { status, calls } = cluster.run('deploy.sh', [PRODUCTION], running, { STEP_TIMEOUT: '0' })
  expect(status).toBe(1)
  expect(applied(calls)).toEqual(['servers', 'steps'])
})

/** An overlay with another image: a release. */
function release(folder: string, version: string): string {
  const overlay = join(folder, version)
  mkdirSync(overlay)
  const lines = [
    `resources: [${relative(overlay, PRODUCTION)}]`,
    `images: [{ name: registry.example/whereabouts, newTag: '${version}' }]`,
  ]
  writeFileSync(join(overlay, 'kustomization.yaml'), lines.join('\n'))
  return overlay
}

/** Keeps what was applied in the stage of services, and does not become ready if the image has this tag. */
const clusterThatRefuses = (version: string): Answers => [
  ['*--dry-run*', ':'],
  ['"apply "*deploy-stage=services*', 'while [ "$1" != --filename ]; do shift; done; cp "$2" running'],
  ['"apply "*deploy-stage=servers*', 'while [ "$1" != --filename ]; do shift; done; cp "$2" servers'],
  ['*"rollout status deployment/"*', `! grep -q 'whereabouts:${version}' running`],
]

test('a release that does not become ready is rolled back: services and settings alone', ({ cluster }) => {
  const answers = clusterThatRefuses('2.0.0')
  const next = release(cluster.folder, '2.0.0')
  const { status, stderr } = cluster.run('deploy.sh', [next], answers)
  expect(status).toBe(1)
  expect(stderr).toContain(`k8s/deploy.sh --services-only ${next}`)
  const back = cluster.run('deploy.sh', ['--services-only', release(cluster.folder, '1.9.0')], answers)
  expect(back.status).toBe(0)
  expect(readFileSync(join(cluster.folder, 'running'), 'utf8')).toContain(
    'registry.example/whereabouts:1.9.0',
  )
  const kinds = readFileSync(join(cluster.folder, 'servers'), 'utf8').match(/^kind: \w+$/gm)
  expect(new Set(kinds)).toEqual(new Set(['kind: ConfigMap']))
  expect(applied(back.calls)).toEqual(['servers', 'services'])
  expect(back.calls.filter((call) => / delete job (migrate|topology) /.test(call))).toEqual([])
})

test.for([
  [[], 'which overlay?'],
  [['--dry', PRODUCTION], 'unknown option --dry'],
  [[PRODUCTION, PRODUCTION], 'only one overlay'],
] as const)('wrong arguments are refused: %s', ([args, message], { cluster }) => {
  const { status, stderr, calls } = cluster.run('deploy.sh', args)
  expect(status).toBe(2)
  expect(stderr).toContain(message)
  expect(calls).toEqual([])
})

test('both scripts explain themselves', ({ cluster }) => {
  for (const script of ['deploy.sh', 'enlarge-disks.sh'])
    expect(cluster.run(script, ['--help'])).toMatchObject({
      status: 0,
      stdout: expect.stringContaining(`k8s/${script} k8s/overlays/production`),
    })
})
