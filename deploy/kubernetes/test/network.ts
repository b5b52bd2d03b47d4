import { find, nameOf, ofKind, podGroups, portNumber, selects } from './manifest.ts'
import type { Manifest, NetworkPolicyRule, PodGroup, PolicyPeer } from './manifest.ts'

type Environments = ReadonlyMap<string, Record<string, string>>
/** An address that a pod is configured with, and its pods if they are ours. */
type Upstream = { from: PodGroup; address: string; port: number; to: PodGroup | undefined }

/** Addresses shown to users, which the service itself does not connect to. */
const isShown = (name: string) => /^(?:READER_\w+|PUBLIC)_URL$/.test(name)
const ADDRESS = /\b([a-z]+):\/\/(?:[^@\s/]*@)?([\w.-]+)(?::(\d+))?/g
const DEFAULT_PORTS: Record<string, number> = {
  http: 80,
  https: 443,
  postgresql: 5432,
  nats: 4222,
  tls: 4222,
}

/** Upstreams that a network policy blocks at one of their ends, and egress that is wider than it may be. */
export function networkProblems(objects: readonly Manifest[], environments: Environments): string[] {
  return [
    ...upstreams(objects, environments).flatMap((upstream) => blocked(upstream, objects)),
    ...ofKind(objects, 'NetworkPolicy').flatMap(tooWide),
    ...otherPorts(objects, environments),
    ...trustedNetworks(environments),
    ...(deniesByDefault(objects) ? [] : ['no policy denies what the others do not allow']),
  ]
}

function upstreams(objects: readonly Manifest[], environments: Environments): Upstream[] {
  return podGroups(objects).flatMap((from) =>
    Object.entries(environments.get(from.name) ?? {})
      .filter(([name]) => !isShown(name))
      .flatMap(([, value]) => Array.from(value.matchAll(ADDRESS)))
      .map(([, scheme = '', host = '', port]) => {
        const number = Number(port ?? DEFAULT_PORTS[scheme])
        return Object.assign(target(host, number, objects), { from, address: `${host}:${number}` })
      }),
  )
}

/** `catalog`, `nats-0.nats-headless` and `postgres-rw` are pods of ours, at the port that their Service leads to. */
function target(host: string, port: number, objects: readonly Manifest[]): Pick<Upstream, 'port' | 'to'> {
  const groups = podGroups(objects)
  const cluster = groups.find(({ kind, name }) => kind === 'Cluster' && host === `${name}-rw`)
  if (cluster) return { port, to: cluster }
  const [service] = host.split('.').flatMap((name) => find(objects, 'Service', name) ?? [])
  const offered = service?.spec.ports?.find((each) => each.port === port)
  const to = groups.find(({ labels }) => selects({ matchLabels: service?.spec.selector ?? {} }, labels))
  if (!service || !to) return { port, to: undefined }
  return { port: (offered && portNumber(to, offered.targetPort ?? offered.port)) ?? Number.NaN, to }
}

function blocked({ from, address, port, to }: Upstream, objects: readonly Manifest[]): string[] {
  const host = address.replace(/:.*/, '')
  const policies = ofKind(objects, 'NetworkPolicy').map(({ spec }) => spec)
  const rules = (pods: PodGroup, direction: 'egress' | 'ingress') =>
    policies
      .filter(({ podSelector = {} }) => selects(podSelector, pods.labels))
      .flatMap((spec) => spec[direction] ?? [])
  const leaves = rules(from, 'egress').some((rule) => allows(rule, rule.to, port, { host, pods: to }))
  const enters =
    !to || rules(to, 'ingress').some((rule) => allows(rule, rule.from, port, { host, pods: from }))
  return [
    ...(leaves ? [] : [`${from.name} may not reach ${address}`]),
    ...(enters ? [] : [`${to.name} does not let ${from.name} in at port ${port}`]),
  ]
}

function allows(
  { ports }: NetworkPolicyRule,
  peers: PolicyPeer[] | undefined,
  port: number,
  other: { host: string; pods: PodGroup | undefined },
): boolean {
  const isPort = ports?.some((each) => (each.protocol ?? 'TCP') === 'TCP' && each.port === port) ?? true
  return isPort && (peers?.some((peer) => isPeer(peer, other)) ?? true)
}

function isPeer(
  { podSelector = {}, namespaceSelector, ipBlock }: PolicyPeer,
  { host, pods }: Parameters<typeof allows>[3],
) {
  if (ipBlock) return ipBlock.cidr === `${host}/32`
  if (namespaceSelector)
    return host.split('.')[1] === namespaceSelector.matchLabels?.['kubernetes.io/metadata.name']
  return pods !== undefined && selects(podSelector, pods.labels)
}

/** Private networks, the machine itself and the metadata services of clouds, which hold secrets. */
const PRIVATE = [
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '168.63.129.16/32',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.168.0.0/16',
]

/** Webhooks go to public addresses only, and no rule leaves out its ports. */
function tooWide(policy: Manifest): string[] {
  const { ingress = [], egress = [] } = policy.spec
  const open = egress.flatMap(({ to = [] }) => to).flatMap(({ ipBlock }) => ipBlock ?? [])
  return [
    ...open
      .filter(
        ({ cidr, except = [] }) => cidr === '0.0.0.0/0' && !PRIVATE.every((range) => except.includes(range)),
      )
      .map(() => `${nameOf(policy)} lets pods reach private addresses`),
    ...[...ingress, ...egress].filter(({ ports }) => !ports).map(() => `${nameOf(policy)} opens all ports`),
  ]
}

/** Receivers are reached on the ports that the dispatcher allows, and on no others. */
function otherPorts(objects: readonly Manifest[], environments: Environments): string[] {
  const allowed = environments.get('webhook-dispatcher')?.['WEBHOOK_PORTS']
  const rules = find(objects, 'NetworkPolicy', 'webhook-dispatcher')?.spec.egress ?? []
  const receivers = rules.filter(({ to = [] }) => to.some(({ ipBlock }) => ipBlock?.cidr === '0.0.0.0/0'))
  const ports = receivers.flatMap((rule) => rule.ports ?? [])
  const isSame = ports.map(({ port }) => port).join(',') === allowed && ports.every(({ endPort }) => !endPort)
  return isSame ? [] : ['NetworkPolicy webhook-dispatcher and WEBHOOK_PORTS name different ports']
}

/** A client in a trusted range chooses its own address, so the range must be that of the proxies and not of a network. */
function trustedNetworks(environments: Environments): string[] {
  const ranges = (environments.get('gateway')?.['TRUSTED_PROXIES'] ?? '').split(',')
  return ranges
    .filter((range) => range.includes('.') && Number(range.split('/')[1] ?? 32) < 24)
    .map((range) => `gateway trusts the network ${range}`)
}

const deniesByDefault = (objects: readonly Manifest[]) =>
  ofKind(objects, 'NetworkPolicy').some(
    ({ spec: { podSelector = {}, policyTypes = [], ingress, egress } }) =>
      Object.keys(podSelector).length === 0 && policyTypes.length === 2 && !ingress && !egress,
  )
