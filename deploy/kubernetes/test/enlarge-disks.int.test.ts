import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { PRODUCTION, test, type Answers, type Cluster } from './kubectl.fixture.ts'

const CLAIMS = ['data-nats-0', 'data-nats-1', 'data-nats-2']

/** Three brokers with these disks, in a cluster that keeps claims and the StatefulSet in files. */
function brokers({ folder }: Cluster, disk: string, { expansion = 'true' } = {}): Answers {
  for (const claim of [...CLAIMS, 'nats']) writeFileSync(join(folder, claim), disk)
  const ofClaim = CLAIMS.flatMap((claim): Answers => [
    [`*"get pvc ${claim} "*.metadata.name*`, `echo ${claim}`],
    [`*"get pvc ${claim} "*storageClassName*`, 'echo fast'],
    [`*"get pvc ${claim} "*.status.conditions*`, ':'],
    [`*"get pvc ${claim} "*`, `cat ${claim}`],
    [`*"patch pvc ${claim} "*`, `echo 600Gi > ${claim}`],
  ])
  return [
    ...ofClaim,
    ['*"get storageclass fast "*', `echo ${expansion}`],
    ['*"get statefulset nats "*', '[ ! -f nats ] || cat nats'],
    ['*"delete statefulset nats "*', 'rm nats'],
    ['"apply "*', '[ -f nats ] && [ "$(cat nats)" != 600Gi ] && exit 1; echo 600Gi > nats'],
  ]
}

const enlarge = (cluster: Cluster, answers: Answers, variables = {}) =>
  cluster.run('enlarge-disks.sh', [PRODUCTION], answers, variables)

const changes = (calls: readonly string[]) =>
  calls.filter((call) => /(^| )(patch|delete|apply|rollout) /.test(call))

test('claims grow first, then the StatefulSet is replaced without its pods', ({ cluster }) => {
  const { status, calls } = enlarge(cluster, brokers(cluster, '50Gi'))
  expect(status).toBe(0)
  const patch = `--type merge --patch {"spec":{"resources":{"requests":{"storage":"600Gi"}}}}`
  expect(changes(calls)).toEqual([
    ...CLAIMS.map((claim) => `--namespace whereabouts patch pvc ${claim} ${patch}`),
    '--namespace whereabouts delete statefulset nats --cascade=orphan --wait',
    'apply --server-side --force-conflicts --namespace whereabouts --selector deploy-stage=servers',
    '--namespace whereabouts rollout status statefulset/nats --timeout 30m',
  ])
})

test('a second run after the StatefulSet was deleted applies it again', ({ cluster }) => {
  const answers = brokers(cluster, '50Gi')
  const stopped = enlarge(cluster, [['"apply "*', 'exit 1'], ...answers])
  expect(stopped.status).toBe(1)
  const { status, calls } = enlarge(cluster, answers)
  expect(status).toBe(0)
  expect(changes(calls).filter((call) => call.includes(' delete '))).toEqual([])
  expect(changes(calls).filter((call) => call.startsWith('apply '))).toHaveLength(1)
})

test('a file system that grows only with a new pod restarts the brokers, one at a time', ({ cluster }) => {
  const pending: Answers = [
    ['*"get pvc "*.status.capacity*', 'echo 50Gi'],
    ['*"get pvc "*.status.conditions*', 'echo FileSystemResizePending'],
  ]
  const { status, calls } = enlarge(cluster, [...pending, ...brokers(cluster, '50Gi')])
  expect(status).toBe(0)
  expect(calls.filter((call) => call.includes('rollout restart'))).toEqual([
    '--namespace whereabouts rollout restart statefulset/nats',
  ])
})

test.for([
  ['a smaller disk', '1Ti', 'true', 'disks never shrink'],
  [
    'a storage class that cannot',
    '50Gi',
    'false',
    'the storage class fast of pvc/data-nats-0 does not allow',
  ],
] as const)('%s is refused and nothing changes', ([, disk, expansion, message], { cluster }) => {
  const { status, stderr, calls } = enlarge(cluster, brokers(cluster, disk, { expansion }))
  expect(status).toBe(1)
  expect(stderr).toContain(message)
  expect(stderr).toContain('Nothing was changed.')
  expect(changes(calls)).toEqual([])
})

test('a disk that does not grow stops it, and the StatefulSet stays', ({ cluster }) => {
  const slow: Answers = [['*"get pvc "*.status.capacity*', 'echo 50Gi']]
  const answers = [...slow, ...brokers(cluster, '50Gi')]
  const { status, stderr, calls } = enlarge(cluster, answers, { RESIZE_TIMEOUT: '0' })
  expect(status).toBe(1)
  expect(stderr).toContain('pvc/data-nats-0 does not grow')
  expect(changes(calls).filter((call) => !call.includes(' patch '))).toEqual([])
})

test('without an overlay it prints an error', ({ cluster }) => {
  expect(cluster.run('enlarge-disks.sh', [])).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('which overlay?'),
  })
})
