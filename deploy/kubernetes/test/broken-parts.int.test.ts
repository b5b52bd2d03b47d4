import { describe, expect, test } from 'vitest'
import { container, first, matches, pod, problemsWhen, type Case, without } from './broken.fixture.ts'

/** Breaks production once for each check of its parts. manifests.int.test.ts tests that it has no problem. */
const SCHEMA: Case[] = [
  ['an unknown kind', 'unknown kind v1 Pot', (_, get) => (get('Service', 'gateway').kind = 'Pot')],
  [
    'another version of a kind',
    'unknown kind apps/v1beta1 Deployment',
    (_, get) => (get('Deployment', 'keys').apiVersion = 'apps/v1beta1'),
  ],
  [
    'a misspelt field of a container',
    /unknown field spec\.template\.spec\.containers\.0\.resource$/,
    (_, get) => Object.assign(container(get('Deployment', 'keys')), { resource: {} }),
  ],
  [
    'a misspelt field of a route',
    /unknown field spec\.hostname$/,
    (_, get) => Object.assign(get('HTTPRoute', 'gateway').spec, { hostname: 'a.example' }),
  ],
  [
    'text instead of a number',
    /must be integer/,
    (_, get) => Object.assign(get('Deployment', 'keys').spec, { minReadySeconds: 'five' }),
  ],
  [
    'a missing field',
    /must have required property.*scaleTargetRef/,
    (_, get) => delete get('HorizontalPodAutoscaler', 'gateway').spec.scaleTargetRef,
  ],
  [
    'a store of backups with an unknown setting',
    'ObjectStore postgres-backups: unknown field spec.backup.retention',
    (_, get) => Object.assign(get('ObjectStore', 'postgres-backups').spec, { retention: '30d' }),
  ],
  [
    'a store that keeps backups for an unknown time',
    /ObjectStore postgres-backups: .*retentionPolicy/,
    (_, get) => Object.assign(get('ObjectStore', 'postgres-backups').spec, { retentionPolicy: 'month' }),
  ],
  [
    'an unknown compression',
    /ObjectStore postgres-backups: .*compression/,
    (_, get) =>
      Object.assign(get('ObjectStore', 'postgres-backups').spec.configuration!.data!, { compression: 'zip' }),
  ],
  [
    'credentials without a key',
    /ObjectStore postgres-backups: .*accessKeyId/,
    (_, get) =>
      Reflect.deleteProperty(
        get('ObjectStore', 'postgres-backups').spec.configuration!.s3Credentials!['accessKeyId']!,
        'key',
      ),
  ],
]

const SELECTORS: Case[] = [
  [
    'a Service without pods',
    'Service catalog selects no pod',
    (_, get) => (get('Service', 'catalog').spec.selector = { app: 'x' } as never),
  ],
  [
    'a Service to a missing port',
    'Service catalog needs port web, which catalog lacks',
    (_, get) => (first(get('Service', 'catalog').spec.ports).targetPort = 'web'),
  ],
  [
    'a budget without pods',
    'PodDisruptionBudget nats selects no pod',
    (_, get) => (get('PodDisruptionBudget', 'nats').spec.selector = { matchLabels: { app: 'x' } } as never),
  ],
  [
    'a Deployment that loses its pods',
    'Deployment keys does not select its own pods',
    (_, get) => (get('Deployment', 'keys').spec.selector = { matchLabels: { app: 'x' } } as never),
  ],
  [
    'spreading of other pods',
    'Deployment keys spreads other pods than its own over kubernetes.io/hostname',
    (_, get) =>
      (first(pod(get('Deployment', 'keys')).topologySpreadConstraints).labelSelector = {
        matchLabels: { app: 'x' },
      }),
  ],
  [
    'spreading by a missing label',
    'Deployment keys spreads by the label app',
    (_, get) => (first(pod(get('Deployment', 'keys')).topologySpreadConstraints).matchLabelKeys = ['app']),
  ],
  [
    'a service without a PodMonitor',
    'the metrics of gateway are read by no PodMonitor',
    (installation) => without(installation, 'PodMonitor', 'services'),
  ],
  [
    'a monitor of a missing port',
    'PodMonitor services needs port metrics, which gateway lacks',
    (_, get) => (first(get('PodMonitor', 'services').spec.podMetricsEndpoints).port = 'metrics'),
  ],
  [
    'a policy for a service that was renamed',
    'NetworkPolicy to-database lists webhooks, which is on no pod',
    (_, get) =>
      first(get('NetworkPolicy', 'to-database').spec.podSelector!.matchExpressions).values!.push('webhooks'),
  ],
  [
    'a scaler of a missing object',
    'ScaledObject tracking scales Deployment ingest, which does not exist',
    (_, get) => (get('ScaledObject', 'tracking').spec.scaleTargetRef!.name = 'ingest'),
  ],
  [
    'replicas that a scaler decides',
    'Deployment gateway sets replicas, which HorizontalPodAutoscaler gateway decides',
    (_, get) => (get('Deployment', 'gateway').spec.replicas = 3),
  ],
]

const REFERENCES: Case[] = [
  [
    'a missing ConfigMap',
    'StatefulSet nats needs ConfigMap nats-conf, which does not exist',
    (_, get) => (first(pod(get('StatefulSet', 'nats')).volumes).configMap!.name = 'nats-conf'),
  ],
  [
    'a Secret that make-secrets does not make',
    'Deployment keys needs Secret keys, which does not exist',
    ({ secrets }) =>
      secrets.splice(
        secrets.findIndex(({ metadata }) => metadata.name === 'keys'),
        1,
      ),
  ],
  [
    'an unused Secret',
    'Secret spare is not used',
    ({ secrets }) => secrets.push({ ...secrets[0]!, metadata: { name: 'spare' } }),
  ],
  [
    'a missing key of a Secret',
    'Deployment keys needs ca.pem of Secret nats-tls, which lacks it',
    (_, get) =>
      (pod(get('Deployment', 'keys')).volumes!.find(({ name }) => name === 'nats-ca')!.secret!.items = [
        { key: 'ca.pem', path: 'ca.crt' },
      ]),
  ],
  [
    'a missing account',
    'Deployment keys runs as key, which does not exist',
    (_, get) => (pod(get('Deployment', 'keys')).serviceAccountName = 'key'),
  ],
  [
    'a mount without a volume',
    'StatefulSet nats mounts store, which is not a volume',
    (_, get) =>
      container(get('StatefulSet', 'nats')).volumeMounts!.push({ name: 'store', mountPath: '/store' }),
  ],
  [
    'a volume that is mounted nowhere',
    'StatefulSet nats has the volume spare and mounts it nowhere',
    (_, get) => pod(get('StatefulSet', 'nats')).volumes!.push({ name: 'spare' }),
  ],
  [
    'a claim without a template',
    'StatefulSet nats claims data',
    (_, get) =>
      pod(get('StatefulSet', 'nats')).volumes!.push({
        name: 'tmp',
        persistentVolumeClaim: { claimName: 'data' },
      }),
  ],
  [
    'a StatefulSet without its Service',
    'names its pods by the Service nats-headless, which does not exist',
    (installation) => without(installation, 'Service', 'nats-headless'),
  ],
  [
    'a route to a missing Service',
    'HTTPRoute gateway leads to gateway:80, which does not exist',
    (_, get) => (first(first(get('HTTPRoute', 'gateway').spec.rules).backendRefs).port = 80),
  ],
  [
    'a certificate without an issuer',
    'Certificate nats is issued by ca, which does not exist',
    (_, get) => (get('Certificate', 'nats').spec.issuerRef!.name = 'ca'),
  ],
  [
    'an issuer without its CA',
    'Issuer nats-ca signs with nats-ca, which does not exist',
    (installation) => without(installation, 'Certificate', 'nats-ca'),
  ],
  [
    'backups to a missing store',
    'Cluster postgres keeps its backups in postgres-backups, which does not exist',
    (installation) => without(installation, 'ObjectStore', 'postgres-backups'),
  ],
  [
    'a store without credentials',
    'ObjectStore postgres-backups needs Secret postgres-backups, which does not exist',
    ({ secrets }) =>
      secrets.splice(
        secrets.findIndex(({ metadata }) => metadata.name === 'postgres-backups'),
        1,
      ),
  ],
  [
    'a backup of another database',
    'ScheduledBackup postgres backs up main, which does not exist',
    (_, get) => (get('ScheduledBackup', 'postgres').spec.cluster!.name = 'main'),
  ],
  [
    'an object in another namespace',
    'Service keys is not in whereabouts',
    (_, get) => (get('Service', 'keys').metadata.namespace = 'default'),
  ],
]

describe.each([
  ['schemas', SCHEMA],
  ['selectors', SELECTORS],
  ['references', REFERENCES],
])('%s: is refused', (_area, cases) => {
  test.each(cases)('%s', async (_what, problem, breakIt) => {
    expect((await problemsWhen(breakIt)).filter(matches(problem))).not.toEqual([])
  })
})
