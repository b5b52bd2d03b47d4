import { describe, expect, test } from 'vitest'
import {
  container,
  first,
  matches,
  pod,
  problemsWhen,
  settings,
  type Case,
  production,
  without,
} from './broken.fixture.ts'
import { renderInstallation, type Installation } from './installation.fixture.ts'
import { find } from './manifest.ts'
import { sharedBetween } from './separation.ts'

/** Breaks production once for each check of rights, variables, network and limits. */
const RIGHTS: Case[] = [
  [
    'root',
    'Deployment keys may run as root',
    (_, get) => (pod(get('Deployment', 'keys')).securityContext!.runAsNonRoot = false),
  ],
  [
    'no seccomp profile',
    'Job migrate has no seccomp profile',
    (_, get) => delete pod(get('Job', 'migrate')).securityContext!.seccompProfile,
  ],
  [
    'a token of the API server',
    'Job topology is given a token',
    (_, get) => delete pod(get('Job', 'topology')).automountServiceAccountToken,
  ],
  [
    'privilege escalation',
    'StatefulSet nats may gain privileges',
    (_, get) => delete container(get('StatefulSet', 'nats')).securityContext!.allowPrivilegeEscalation,
  ],
  [
    'a writable image',
    'StatefulSet nats may write to its image',
    (_, get) => (container(get('StatefulSet', 'nats')).securityContext!.readOnlyRootFilesystem = false),
  ],
  [
    'capabilities',
    'StatefulSet nats keeps capabilities',
    (_, get) => (container(get('StatefulSet', 'nats')).securityContext!.capabilities = {}),
  ],
  [
    'the latest image',
    'has an image that is not pinned: nats:latest',
    (_, get) => (container(get('StatefulSet', 'nats')).image = 'nats:latest'),
  ],
  [
    'an image without a tag',
    'has an image that is not pinned: registry.example:5000/whereabouts',
    (_, get) => (container(get('Deployment', 'keys')).image = 'registry.example:5000/whereabouts'),
  ],
  [
    'no request for a processor',
    'Deployment keys requests no processor',
    (_, get) => delete container(get('Deployment', 'keys')).resources!.requests!['cpu'],
  ],
  [
    'no limit of memory',
    'Deployment keys has no limit of memory',
    (_, get) => delete container(get('Deployment', 'keys')).resources!.limits,
  ],
  [
    'a limit of the processor',
    'Deployment keys has a limit of the processor',
    (_, get) => (container(get('Deployment', 'keys')).resources!.limits!['cpu'] = '1'),
  ],
  [
    'no readiness probe',
    'Deployment keys has no readinessProbe',
    (_, get) => delete container(get('Deployment', 'keys')).readinessProbe,
  ],
  [
    'a single replica',
    'Deployment keys may have fewer than two replicas',
    (_, get) => (get('Deployment', 'keys').spec.replicas = 1),
  ],
  [
    'a scaler with a minimum of one',
    'Deployment tracking may have fewer than two replicas',
    (_, get) => (get('ScaledObject', 'tracking').spec.minReplicaCount = 1),
  ],
  [
    'no budget',
    'Deployment keys has 0 disruption budgets, not one',
    (installation) => without(installation, 'PodDisruptionBudget', 'keys'),
  ],
  [
    'old pods gone before new ones are ready',
    'Deployment keys stops pods before others are ready',
    (_, get) => (get('Deployment', 'keys').spec.strategy!.rollingUpdate!.maxUnavailable = 1),
  ],
  [
    'a third dispatcher',
    'Deployment webhook-dispatcher may have more than two replicas',
    (_, get) => (get('Deployment', 'webhook-dispatcher').spec.replicas = 3),
  ],
  [
    'a third dispatcher during a rollout',
    'Deployment webhook-dispatcher may have more than two replicas',
    (_, get) =>
      (get('Deployment', 'webhook-dispatcher').spec.strategy!.rollingUpdate = {
        maxUnavailable: 0,
        maxSurge: 1,
      }),
  ],
  [
    'an object without a stage',
    'Service keys has no stage',
    (_, get) => (get('Service', 'keys').metadata.labels = {}),
  ],
  [
    'a step in the stage of the services',
    'Job migrate is applied in stage services',
    (_, get) => (get('Job', 'migrate').metadata.labels!['deploy-stage'] = 'services'),
  ],
  [
    'a service in the wave of the steps',
    'Deployment keys is applied in stage services, wave 1',
    (_, get) => (get('Deployment', 'keys').metadata.annotations!['argocd.argoproj.io/sync-wave'] = '1'),
  ],
]

const VARIABLES: Case[] = [
  [
    'a variable that is missing',
    'tracking is not given RETENTION_DAYS',
    (installation) => delete settings(installation, 'tracking')['RETENTION_DAYS'],
  ],
  [
    'a variable that is not read',
    'catalog is given RETENTION_DAYS, which it does not read',
    (installation) => (settings(installation, 'catalog')['RETENTION_DAYS'] = '400'),
  ],
  [
    'a value that is not valid',
    /tracking: 1 configuration variable.*\n.*RETENTION_DAYS is not usable/,
    (installation) => (settings(installation, 'tracking')['RETENTION_DAYS'] = 'for ever'),
  ],
  [
    'no setting for the proxies in front of the gateway',
    /gateway: 1 configuration variable.*\n.*TRUSTED_PROXIES is not set/,
    (installation) => (settings(installation, 'gateway')['TRUSTED_PROXIES'] = ''),
  ],
  [
    'a network of clients among the proxies',
    'gateway trusts the network 10.0.0.0/8',
    (installation) => (settings(installation, 'gateway')['TRUSTED_PROXIES'] = '10.0.255.0/24,10.0.0.0/8'),
  ],
  [
    'a secret that another service has',
    'catalog is given PRINCIPAL_PRIVATE_KEY, which it does not read',
    ({ secrets }) => (find(secrets, 'Secret', 'catalog')!.data!['PRINCIPAL_PRIVATE_KEY'] = 'x'),
  ],
  [
    'a step without an address',
    'migrate is not given KEYS_DATABASE_URL',
    ({ secrets }) => delete find(secrets, 'Secret', 'migrate')!.data!['KEYS_DATABASE_URL'],
  ],
  [
    'a value of the brokers that is missing',
    'nats is not given NATS_STORE_DIR',
    (installation) => delete settings(installation, 'nats')['NATS_STORE_DIR'],
  ],
  [
    'an unknown program',
    'unknown program other',
    (_, get) => (get('Deployment', 'keys').metadata.name = 'other'),
  ],
  [
    'a missing service',
    'console is missing',
    (installation) => without(installation, 'Deployment', 'console'),
  ],
]

const NETWORK: Case[] = [
  [
    'a service that may not reach the broker',
    'catalog may not reach nats',
    (_, get) => delete get('NetworkPolicy', 'catalog').spec.egress,
  ],
  [
    'a service without ingress',
    'catalog does not let gateway in at port 8080',
    (_, get) => delete get('NetworkPolicy', 'catalog').spec.ingress,
  ],
  [
    'a database that does not let a service in',
    'postgres does not let catalog in at port 5432',
    (_, get) =>
      first(
        first(get('NetworkPolicy', 'database').spec.ingress).from,
      ).podSelector!.matchExpressions![0]!.values!.splice(1, 1),
  ],
  [
    'all ports instead of one',
    'NetworkPolicy keys opens all ports',
    (_, get) => delete first(get('NetworkPolicy', 'keys').spec.ingress).ports,
  ],
  [
    'receivers in a private network',
    'NetworkPolicy webhook-dispatcher lets pods reach private addresses',
    (_, get) =>
      get('NetworkPolicy', 'webhook-dispatcher').spec.egress!.forEach(({ to = [] }) =>
        to.forEach(({ ipBlock }) => ipBlock?.except?.shift() && ipBlock.except.shift()),
      ),
  ],
  [
    'another port of receivers',
    'NetworkPolicy webhook-dispatcher and WEBHOOK_PORTS name different ports',
    (installation) => (settings(installation, 'webhook-dispatcher')['WEBHOOK_PORTS'] = '443,9443'),
  ],
  [
    'a new address in the configuration',
    'gateway may not reach postgres-rw:9187',
    (installation) => (settings(installation, 'gateway')['KEYS_URL'] = 'http://postgres-rw:9187'),
  ],
  [
    'an address without a Service',
    'gateway may not reach accounts:8080',
    (installation) => (settings(installation, 'gateway')['KEYS_URL'] = 'http://accounts:8080'),
  ],
  [
    'no policy that denies by default',
    'no policy denies what the others do not allow',
    (installation) => without(installation, 'NetworkPolicy', 'default-deny'),
  ],
]

const LIMITS: Case[] = [
  [
    'a timeout shorter than a live feed',
    'HTTPRoute gateway ends streamMovements after 960 s',
    (_, get) => get('HTTPRoute', 'gateway').spec.rules!.shift(),
  ],
  [
    'a timeout shorter than an upload',
    'HTTPRoute gateway ends createImport after 60 s',
    (_, get) => (get('HTTPRoute', 'gateway').spec.rules![1]!.timeouts!.backendRequest = '60s'),
  ],
  [
    'more connections than the database allows',
    /\d+ connections are needed, and max_connections is 340/,
    (_, get) => (get('HorizontalPodAutoscaler', 'catalog').spec.maxReplicas = 20),
  ],
  [
    'a pool larger than the database allows',
    /\d+ connections are needed/,
    (installation) => (settings(installation, 'keys')['DATABASE_POOL_SIZE'] = '150'),
  ],
  [
    'a grace period that is too short',
    /Deployment tracking may take \d+ s to end and is killed after 60/,
    (_, get) => (pod(get('Deployment', 'tracking')).terminationGracePeriodSeconds = 60),
  ],
  [
    'a drain that is too long',
    /Deployment gateway may take \d+ s to end/,
    (installation) => (settings(installation, 'service')['DRAIN_MS'] = '90000'),
  ],
  [
    'a broker with the default grace period',
    'StatefulSet nats may take 130 s to end and is killed after 30',
    (_, get) => delete pod(get('StatefulSet', 'nats')).terminationGracePeriodSeconds,
  ],
  [
    'a drain shorter than the keep-alive of the gateway',
    'catalog drains for 3000 ms',
    (installation) => (settings(installation, 'service')['DRAIN_MS'] = '3000'),
  ],
]

const SIZES: Case[] = [
  [
    'a disk of the database that is too small',
    'Cluster postgres has a disk of',
    (_, get) => (get('Cluster', 'postgres').spec.storage!.size = '200Gi'),
  ],
  [
    'a disk of the log that is too small',
    /Cluster postgres has a disk of \d+ bytes for its log/,
    (_, get) => (get('Cluster', 'postgres').spec.walStorage!.size = '40Gi'),
  ],
  [
    'more shared memory than the container has',
    'Cluster postgres shares more than 0.3 of its memory',
    (_, get) => (get('Cluster', 'postgres').spec.postgresql!.parameters!['shared_buffers'] = '16GB'),
  ],
  [
    'a backup that takes longer than a night',
    /ObjectStore postgres-backups takes [\d.]+ h for a backup/,
    (_, get) => (get('ObjectStore', 'postgres-backups').spec.configuration!.data!.jobs = 1),
  ],
  [
    'backups that are kept for longer than the bucket was computed for',
    'ObjectStore postgres-backups keeps 90d: the sum of the bucket is for 30 days',
    (_, get) => (get('ObjectStore', 'postgres-backups').spec.retentionPolicy = '90d'),
  ],
  [
    'a longer retention',
    'history is kept for 800 days, and the disk is for 400',
    (installation) => (settings(installation, 'tracking')['RETENTION_DAYS'] = '800'),
  ],
  [
    'a buffer that is too short',
    'SCANS_MAX_BYTES is 4294967296: 4 h without tracking need',
    (_, get) => (get('ConfigMap', 'topology').data!['SCANS_MAX_BYTES'] = '4294967296'),
  ],
  [
    'streams larger than the brokers allow',
    /NATS_MAX_FILE_STORE is 45000000000, and the streams need \d+/,
    (installation) => (settings(installation, 'nats')['NATS_MAX_FILE_STORE'] = '45000000000'),
  ],
  [
    'streams larger than the disk',
    "the broker's disk of 53687091200 bytes is too small",
    (_, get) =>
      (first(get('StatefulSet', 'nats').spec.volumeClaimTemplates).spec.resources.requests = {
        storage: '50Gi',
      }),
  ],
  [
    'a broker whose heap fills its memory',
    'GOMEMLIMIT is 1600MiB',
    (_, get) => (container(get('StatefulSet', 'nats')).resources!.limits!['memory'] = '1536Mi'),
  ],
  [
    'too little memory for the catalog',
    'the heap of tracking ends at 536870912 bytes and needs 750000000',
    (_, get) => (container(get('Deployment', 'tracking')).resources!.limits!['memory'] = '1Gi'),
  ],
  [
    'a heap that fills the memory',
    'the heap of tracking may fill its memory of 1610612736 bytes',
    (_, get) => container(get('Deployment', 'tracking')).args!.unshift('--max-old-space-size=1400'),
  ],
  [
    'more replicas than partitions',
    'tracking may have 4 replicas, and SCAN_PARTITIONS is 2',
    (_, get) => (get('ConfigMap', 'topology').data!['SCAN_PARTITIONS'] = '2'),
  ],
]

describe.each([
  ['sizes', SIZES],
  ['rights', RIGHTS],
  ['variables', VARIABLES],
  ['network', NETWORK],
  ['limits', LIMITS],
])('%s: is refused', (_area, cases) => {
  test.each(cases)('%s', async (_what, problem, breakIt) => {
    expect((await problemsWhen(breakIt)).filter(matches(problem))).not.toEqual([])
  })
})

test.each<[string, (copy: Installation, other: Installation) => unknown]>([
  [
    'both have the host whereabouts.example',
    (copy) => (find(copy.objects, 'HTTPRoute', 'gateway')!.spec.hostnames = ['whereabouts.example']),
  ],
  [
    'both have the environment production',
    (copy) => (settings(copy, 'service')['ENVIRONMENT'] = 'production'),
  ],
  [
    'both have the namespace whereabouts',
    (copy) => (find(copy.objects, 'Namespace', 'whereabouts-preview')!.metadata.name = 'whereabouts'),
  ],
  [
    'of keys/SIGNING_KEY_SECRET',
    (copy, other) =>
      (find(copy.secrets, 'Secret', 'keys')!.data = find(other.secrets, 'Secret', 'keys')!.data!),
  ],
])('between two installations is refused: %s', async (problem, share) => {
  const copy = await renderInstallation('preview')
  share(copy, production)
  expect(sharedBetween(copy, production).filter((reported) => reported.includes(problem))).not.toEqual([])
})
