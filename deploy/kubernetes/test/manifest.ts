/** The fields of kubectl's objects that the checks read. The schemas check the others. */
export type Manifest = {
  apiVersion: string
  kind: string
  metadata: {
    name: string
    namespace?: string
    labels?: Labels
    annotations?: Record<string, string>
  }
  data?: Record<string, string>
  spec: Spec
}

export type Labels = Record<string, string>
export type Selector = {
  matchLabels?: Labels
  matchExpressions?: { key: string; operator: string; values?: string[] }[]
}
type Port = number | string
type Peer = {
  podSelector?: Selector
  namespaceSelector?: Selector
  ipBlock?: { cidr: string; except?: string[] }
}
type PolicyRule = {
  from?: Peer[]
  to?: Peer[]
  ports?: { protocol?: string; port?: Port; endPort?: number }[]
}
export type ServicePort = { name?: string; port: number; targetPort?: Port }
type BackendRef = { kind?: string; name: string; port?: number }
type RouteRule = {
  matches?: { path?: { type?: string; value?: string } }[]
  timeouts?: { request?: string; backendRequest?: string }
  backendRefs?: BackendRef[]
}

type Resources = { requests?: Record<string, string>; limits?: Record<string, string> }

/** The fields of all kinds; each kind has some of them. */
type Spec = {
  replicas?: number
  selector?: Selector & Labels
  template?: { metadata: { labels: Labels }; spec: PodSpec }
  volumeClaimTemplates?: { metadata: { name: string }; spec: { resources: Resources } }[]
  instances?: number
  backup?: object
  storage?: { size: string }
  walStorage?: { size: string }
  resources?: Resources
  serviceName?: string
  ports?: ServicePort[]
  podSelector?: Selector
  policyTypes?: string[]
  ingress?: PolicyRule[]
  egress?: PolicyRule[]
  scaleTargetRef?: { kind?: string; name: string }
  minReplicas?: number
  minReplicaCount?: number
  maxReplicas?: number
  maxReplicaCount?: number
  triggers?: { metadata: Record<string, string> }[]
  strategy?: { rollingUpdate?: { maxUnavailable: number; maxSurge: number } }
  hostnames?: string[]
  rules?: RouteRule[]
  podMetricsEndpoints?: { port?: string }[]
  secretName?: string
  dnsNames?: string[]
  ca?: { secretName: string }
  issuerRef?: { name: string; kind?: string }
  superuserSecret?: { name: string }
  inheritedMetadata?: { labels?: Labels }
  plugins?: { parameters?: Record<string, string> }[]
  retentionPolicy?: string
  configuration?: { s3Credentials?: Record<string, { name: string; key: string }>; data?: { jobs?: number } }
  cluster?: { name: string }
  postgresql?: { parameters?: Record<string, string> }
}
export type PolicyPeer = Peer
export type NetworkPolicyRule = PolicyRule

export type Container = {
  name: string
  image: string
  args?: string[]
  env?: { name: string; value?: string; valueFrom?: Record<string, { name?: string; key?: string }> }[]
  envFrom?: {
    configMapRef?: { name: string; optional?: boolean }
    secretRef?: { name: string; optional?: boolean }
  }[]
  ports?: { name?: string; containerPort: number }[]
  resources?: Resources
  securityContext?: {
    allowPrivilegeEscalation?: boolean
    readOnlyRootFilesystem?: boolean
    capabilities?: { drop?: string[] }
  }
  volumeMounts?: { name: string; mountPath: string }[]
} & Partial<Record<ProbeName, { httpGet?: { port: Port }; exec?: { command: string[] } }>>
export const PROBES = ['livenessProbe', 'readinessProbe', 'startupProbe'] as const
type ProbeName = (typeof PROBES)[number]

type Item = { key: string; path: string }
export type Volume = {
  name: string
  configMap?: { name: string; items?: Item[]; optional?: boolean }
  secret?: { secretName: string; items?: Item[]; optional?: boolean }
  persistentVolumeClaim?: { claimName: string }
}
export type PodSpec = {
  serviceAccountName?: string
  automountServiceAccountToken?: boolean
  terminationGracePeriodSeconds?: number
  securityContext?: { runAsNonRoot?: boolean; runAsUser?: number; seccompProfile?: { type: string } }
  topologySpreadConstraints?: { topologyKey: string; labelSelector: Selector; matchLabelKeys?: string[] }[]
  containers: Container[]
  initContainers?: Container[]
  volumes?: Volume[]
}

/** Pods that belong together: those of a Deployment, a StatefulSet, a Job, or of a database cluster. */
export type PodGroup = {
  kind: string
  name: string
  labels: Labels
  ports: { name?: string | undefined; port: number }[]
  /** Missing if an operator creates the pods. */
  spec: PodSpec | undefined
  owner: Manifest
}

/** The name of an object in a problem. */
export const nameOf = ({ kind, metadata }: Manifest): string => `${kind} ${metadata.name}`

export const find = (objects: readonly Manifest[], kind: string, name: string): Manifest | undefined =>
  objects.find((object) => object.kind === kind && object.metadata.name === name)

export const ofKind = (objects: readonly Manifest[], kind: string): Manifest[] =>
  objects.filter((object) => object.kind === kind)

export function podGroups(objects: readonly Manifest[]): PodGroup[] {
  return objects.flatMap((owner) => {
    if (owner.kind === 'Cluster') return [databasePods(owner)]
    const template = owner.spec?.template
    if (!template) return []
    const ports = template.spec.containers.flatMap(({ ports: of = [] }) =>
      of.map(({ name, containerPort }) => ({ name, port: containerPort })),
    )
    const { kind, metadata } = owner
    return [
      { kind, name: metadata.name, labels: template.metadata.labels, ports, spec: template.spec, owner },
    ]
  })
}

/** As the CloudNativePG operator creates them. */
function databasePods(owner: Manifest): PodGroup {
  const { name } = owner.metadata
  const labels = {
    ...owner.spec.inheritedMetadata?.labels,
    'cnpg.io/cluster': name,
    'cnpg.io/podRole': 'instance',
  }
  const ports = [
    { name: 'postgresql', port: 5432 },
    { name: 'metrics', port: 9187 },
    { name: 'status', port: 8000 },
  ]
  return { kind: owner.kind, name, labels, ports, spec: undefined, owner }
}

/** An empty selector selects everything, as everywhere in Kubernetes but in a Service. */
export function selects({ matchLabels = {}, matchExpressions = [] }: Selector, labels: Labels): boolean {
  return (
    Object.entries(matchLabels).every(([key, value]) => labels[key] === value) &&
    matchExpressions.every(({ key, operator, values = [] }) => {
      if (operator === 'In') return values.includes(labels[key] ?? '')
      if (operator === 'NotIn') return !values.includes(labels[key] ?? '')
      return operator === 'Exists' ? key in labels : !(key in labels)
    })
  )
}

/** The number of a port by name or number; undefined if the pods have no such port. */
export const portNumber = ({ ports }: PodGroup, port: Port): number | undefined =>
  ports.find((known) => known.name === port || known.port === port)?.port
