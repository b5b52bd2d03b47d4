import { find, nameOf, ofKind, podGroups, portNumber, selects } from './manifest.ts'
import type { Manifest, NetworkPolicyRule, PodGroup, PolicyPeer, ServicePort } from './manifest.ts'

/** `gateway → catalog:8080`. */
export type Arrow = `${string} → ${string}`

/** What is no pod of ours and reached, or reaches us, all the same. */
export const PUBLIC = 'public addresses'
export const ANYWHERE = 'anywhere'

/** The arrows that the policies allow: those that leave a pod, and those that enter one. Both are needed. */
export function allowedArrows(objects: readonly Manifest[]): { out: Set<Arrow>; in: Set<Arrow> } {
  const groups = podGroups(objects)
  const out = new Set<Arrow>()
  const into = new Set<Arrow>()
  for (const { spec } of ofKind(objects, 'NetworkPolicy')) {
    const own = groups.filter(({ labels }) => selects(spec.podSelector ?? {}, labels))
    for (const { name } of own) {
      for (const rule of spec.egress ?? [])
        for (const [peer, port] of ends(rule, rule.to, groups)) out.add(`${name} → ${peer}:${port}`)
      for (const rule of spec.ingress ?? [])
        for (const [peer, port] of ends(rule, rule.from, groups)) into.add(`${peer} → ${name}:${port}`)
    }
  }
  return { out, in: into }
}

function ends({ ports }: NetworkPolicyRule, peers: PolicyPeer[] | undefined, groups: PodGroup[]) {
  const names = peers?.flatMap((peer) => namesOf(peer, groups)) ?? [ANYWHERE]
  // A rule without ports allows all of them; an empty list of rules was never meant to.
  const numbers = ports?.map(portText) ?? ['all']
  return names.flatMap((name) => numbers.map((port) => [name, port] as const))
}

function portText({ protocol = 'TCP', port, endPort }: NonNullable<NetworkPolicyRule['ports']>[number]) {
  const range = endPort === undefined ? `${port}` : `${port}-${endPort}`
  return protocol === 'TCP' ? range : `${range}/${protocol}`
}

function namesOf({ podSelector, namespaceSelector, ipBlock }: PolicyPeer, groups: PodGroup[]): string[] {
  if (ipBlock) return [isPublicOnly(ipBlock) ? PUBLIC : ipBlock.cidr.replace(/\/32$/, '')]
  if (!namespaceSelector)
    return groups.filter(({ labels }) => selects(podSelector ?? {}, labels)).map(({ name }) => name)
  const namespace = namespaceSelector.matchLabels?.['kubernetes.io/metadata.name'] ?? 'every namespace'
  const pods = Object.values(podSelector?.matchLabels ?? {})
  return [[namespace, ...pods].join('/')]
}

/** Of IPv4, what is reserved for private networks, for the machine itself and for where clouds answer it: with secrets, too. */
const PRIVATE = [
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '168.63.129.16/32',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.168.0.0/16',
]

/** Of IPv6, all that is public begins with 2 or 3. */
const isPublicOnly = ({ cidr, except = [] }: { cidr: string; except?: string[] }) =>
  cidr === '2000::/3' || (cidr === '0.0.0.0/0' && PRIVATE.every((range) => except.includes(range)))

/** The arrows that the configuration asks for: whoever is given an address has to reach it. */
export function configuredArrows(
  objects: readonly Manifest[],
  environments: ReadonlyMap<string, Record<string, string>>,
): Arrow[] {
  return [...environments].flatMap(([from, variables]) =>
    Object.entries(variables)
      .filter(([name]) => !isShown(name))
      .flatMap(([, value]) => addressesIn(value))
      .map(({ host, port }): Arrow => `${from} → ${targetOf(host, port, objects)}`),
  )
}

/** Addresses for people to copy, which the service itself does not connect to. */
const isShown = (name: string) => /^(?:READER_\w+|PUBLIC)_URL$/.test(name)

const DEFAULT_PORTS: Record<string, number> = {
  http: 80,
  https: 443,
  postgresql: 5432,
  nats: 4222,
  tls: 4222,
}

function addressesIn(value: string): { host: string; port: number }[] {
  return [...value.matchAll(/\b([a-z]+):\/\/(?:[^@\s/]*@)?([\w.-]+)(?::(\d+))?/g)].map(
    ([, scheme = '', host = '', port]) => ({ host, port: Number(port ?? DEFAULT_PORTS[scheme]) }),
  )
}

/** `catalog`, `nats-0.nats-headless`, `otel-collector.monitoring`, `postgres-rw` or an address. */
function targetOf(host: string, port: number, objects: readonly Manifest[]): string {
  const labels = host.split('.')
  const service = labels.map((name) => find(objects, 'Service', name)).find((found) => found !== undefined)
  if (service) return podsBehind(service, port, objects)
  const cluster = find(objects, 'Cluster', host.replace(/-rw$/, ''))
  if (cluster) return `${cluster.metadata.name}:${port}`
  return /^[\d.]+$/.test(host) || labels.length === 1 ? `${host}:${port}` : `${labels[1]}:${port}`
}

function podsBehind(service: Manifest, port: number, objects: readonly Manifest[]): string {
  const offered = service.spec.ports?.find((candidate: ServicePort) => candidate.port === port)
  const selector = { matchLabels: service.spec.selector ?? {} }
  const pods = podGroups(objects).find(({ labels }) => selects(selector, labels))
  const number = pods && offered && portNumber(pods, offered.targetPort ?? offered.port)
  return number === undefined ? `${nameOf(service)} without port ${port}` : `${pods!.name}:${number}`
}

/** What holds whatever is configured. `inside` names pods of ours. */
export function standingArrows(objects: readonly Manifest[]): Arrow[] {
  const groups = podGroups(objects)
  const services = groups.filter(({ labels }) => labels['app.kubernetes.io/component'] === 'service')
  return [
    'gateways → gateway:8080',
    `${ANYWHERE} → nats:4222`,
    `${ANYWHERE} → nats:1883`,
    `webhook-dispatcher → ${PUBLIC}:443`,
    `webhook-dispatcher → ${PUBLIC}:1024-65535`,
    ...services.map(({ name }): Arrow => `monitoring → ${name}:9000`),
    ...groups.flatMap(({ name }): Arrow[] => [
      `${name} → kube-system/kube-dns:53/UDP`,
      `${name} → kube-system/kube-dns:53`,
    ]),
    ...ofKind(objects, 'Cluster').flatMap(({ metadata }) => databaseArrows(metadata.name)),
  ]
}

/** Of the operator: replication, the state of instances, metrics, the API server and the store of the backups. */
const databaseArrows = (name: string): Arrow[] => [
  `${name} → ${name}:5432`,
  `${name} → ${name}:8000`,
  `cnpg-system → ${name}:5432`,
  `cnpg-system → ${name}:8000`,
  `monitoring → ${name}:9187`,
  `${name} → ${ANYWHERE}:443`,
  `${name} → ${ANYWHERE}:6443`,
]

/** Arrows that are wanted and not allowed at one of their ends, and such as are allowed and wanted by nobody. */
export function arrowProblems(
  objects: readonly Manifest[],
  environments: ReadonlyMap<string, Record<string, string>>,
): string[] {
  const inside = new Set(podGroups(objects).map(({ name }) => name))
  const wanted = new Set([...configuredArrows(objects, environments), ...standingArrows(objects)])
  const allowed = allowedArrows(objects)
  const mayEnter = (arrow: Arrow) =>
    allowed.in.has(arrow) || allowed.in.has(`${ANYWHERE} → ${targetIn(arrow)}`)
  const ours = [...wanted]
  return [
    ...ours
      .filter((arrow) => inside.has(sourceIn(arrow)) && !allowed.out.has(arrow))
      .map(say('may not leave')),
    ...ours.filter((arrow) => inside.has(podIn(arrow)) && !mayEnter(arrow)).map(say('may not enter')),
    ...[...allowed.out].filter((arrow) => !wanted.has(arrow)).map(say('may leave and is wanted by nobody')),
    ...[...allowed.in].filter((arrow) => !wanted.has(arrow)).map(say('may enter and is wanted by nobody')),
    ...(deniesByDefault(objects) ? [] : ['nothing denies what no policy allows']),
  ]
}

const sourceIn = (arrow: Arrow) => arrow.split(' → ')[0]!
const targetIn = (arrow: Arrow) => arrow.split(' → ')[1]!
const podIn = (arrow: Arrow) => targetIn(arrow).split(':')[0]!
const say = (problem: string) => (arrow: Arrow) => `${arrow} ${problem}`

const deniesByDefault = (objects: readonly Manifest[]) =>
  ofKind(objects, 'NetworkPolicy').some(
    ({ spec: { podSelector = {}, policyTypes = [], ingress, egress } }) =>
      Object.keys(podSelector).length === 0 &&
      policyTypes.includes('Ingress') &&
      policyTypes.includes('Egress') &&
      ingress === undefined &&
      egress === undefined,
  )
