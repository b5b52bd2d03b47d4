import { expect } from 'vitest'
import { applied, PRODUCTION, test, type Answers } from './kubectl.fixture.ts'

const notFound = 'echo "Error from server (NotFound)" >&2; exit 1'

const REFUSED: [what: string, answer: Answers[number], message: string][] = [
  ['no cluster', ['version', 'echo refused >&2; exit 1'], 'the cluster does not answer'],
  [
    'an old kubectl',
    ['version', 'echo "Client Version: v1.26.0"; echo "Server Version: v1.34.2"'],
    'kubectl is 1.26. Install 1.27 or newer.',
  ],
  [
    'an old cluster',
    ['version', 'echo "Client Version: v1.32.0"; echo "Server Version: v1.29.1"'],
    'the cluster runs Kubernetes 1.29. Upgrade it to 1.30 or newer.',
  ],
  [
    'a missing add-on',
    ['"get --raw /apis/cert-manager.io/v1"', notFound],
    'the cluster does not serve Certificate of cert-manager.io/v1. Install cert-manager 1.16 or newer.',
  ],
  [
    'an add-on that lacks one kind',
    ['"get --raw /apis/postgresql.cnpg.io/v1"', `echo '{"resources":[{"kind":"Cluster"}]}'`],
    'the cluster does not serve ScheduledBackup of postgresql.cnpg.io/v1. Install CloudNativePG 1.26',
  ],
  [
    'a missing permission',
    ['"auth can-i patch deployment.apps "*', 'exit 1'],
    'you may not patch deployment.apps in the namespace whereabouts.',
  ],
  ['no permission to replace Jobs', ['"auth can-i delete job.batch "*', 'exit 1'], 'you may not delete job'],
  ['a missing namespace', ['"get namespace "*', notFound], 'the namespace whereabouts does not exist'],
  [
    'a missing Secret',
    ['*"secret tracking "*', notFound],
    'the Secret tracking does not exist in the namespace whereabouts. Make it with deploy/kubernetes',
  ],
  [
    'missing credentials of the backups',
    ['*"secret postgres-backups "*', notFound],
    'the Secret postgres-backups does not exist',
  ],
  [
    'a missing catalog of images',
    ['*"clusterimagecatalogs.postgresql.cnpg.io postgresql "*', notFound],
    'the ClusterImageCatalog postgresql does not exist',
  ],
  [
    'no default storage class',
    ['*"get storageclass --output"*', 'echo standard='],
    'there is no default storage class',
  ],
  [
    'a disk of another size',
    ['*"get statefulset nats "*', 'echo 50Gi'],
    `the disks of statefulset/nats have 50Gi, the overlay says 600Gi. Run k8s/enlarge-disks.sh ${PRODUCTION}`,
  ],
  [
    'an object that the cluster refuses',
    ['"apply "*deploy-stage=services*--dry-run=server*', 'echo "field not declared in schema" >&2; exit 1'],
    'field not declared in schema',
  ],
]

test.for(REFUSED)('%s stops the deployment before anything changes', ([, answer, message], { cluster }) => {
  const { status, stderr, calls } = cluster.run('deploy.sh', [PRODUCTION], [answer])
  expect(status).toBe(1)
  expect(stderr).toContain(message)
  expect(stderr).toContain('Nothing was changed.')
  expect(applied(calls)).toEqual([])
})

test('all problems are reported at once', ({ cluster }) => {
  const answers: Answers = [
    ['"get --raw /apis/keda.sh/v1alpha1"', notFound],
    ['*"secret keys "*', notFound],
  ]
  const { stderr } = cluster.run('deploy.sh', ['--check', PRODUCTION], answers)
  expect(stderr).toContain('KEDA 2.17')
  expect(stderr).toContain('the Secret keys')
  expect(stderr).toContain('preflight: 2 problems.')
})

test('--check changes nothing', ({ cluster }) => {
  const { status, calls } = cluster.run('deploy.sh', ['--check', PRODUCTION])
  expect(status).toBe(0)
  expect(applied(calls)).toEqual([])
  expect(
    calls.filter((call) => / (delete|patch|create) (?!.*--namespace whereabouts --quiet)/.test(call)),
  ).toEqual([])
})

test('what may not be looked at is not a problem', ({ cluster }) => {
  const forbidden = 'echo "Error from server (Forbidden)" >&2; exit 1'
  const answers: Answers = [
    ['*" secret "*', forbidden],
    ['*"get storageclass"*', forbidden],
  ]
  expect(cluster.run('deploy.sh', ['--check', PRODUCTION], answers).status).toBe(0)
})
