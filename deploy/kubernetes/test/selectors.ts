import type { Size } from '../../workshop/sizing/sizes.ts'
import { nameOf, ofKind, podGroups, portNumber, selects } from './manifest.ts'
import type { Manifest, PodGroup, Selector } from './manifest.ts'

/** Selectors that match no pod, missing ports, and scalers of missing objects. */
export function selectorProblems(objects: readonly Manifest[], { addOns }: Size): string[] {
  const groups = podGroups(objects)
  return [
    ...objects.flatMap((object) => emptySelections(object, groups)),
    ...ofKind(objects, 'Service').flatMap((object) => servicePorts(object, groups)),
    ...ofKind(objects, 'PodMonitor').flatMap((object) => scrapedPorts(object, groups)),
    ...(addOns ? groups.flatMap(unscraped(objects)) : []),
    ...groups.flatMap(ownSelectors),
    ...objects.flatMap((object) => scaleTarget(object, objects)),
  ]
}

const anyOf = (groups: PodGroup[], selector: Selector) =>
  groups.filter(({ labels }) => selects(selector, labels))

function selectorsIn({ kind, spec }: Manifest): Selector[] {
  if (kind === 'Service') return [{ matchLabels: spec.selector ?? {} }]
  if (kind === 'PodDisruptionBudget' || kind === 'PodMonitor') return [spec.selector ?? {}]
  if (kind !== 'NetworkPolicy') return []
  const peers = [
    ...(spec.ingress ?? []).flatMap(({ from = [] }) => from),
    ...(spec.egress ?? []).flatMap(({ to = [] }) => to),
  ]
  const local = peers.filter(({ namespaceSelector }) => namespaceSelector === undefined)
  return [spec.podSelector ?? {}, ...local.flatMap(({ podSelector }) => podSelector ?? [])]
}

function emptySelections(object: Manifest, groups: PodGroup[]): string[] {
  const selectors = selectorsIn(object)
  const empty = selectors.filter((selector) => anyOf(groups, selector).length === 0)
  const missing = selectors
    .flatMap(listed)
    .filter(([key, value]) => !groups.some(({ labels }) => labels[key] === value))
  return [
    ...empty.map((selector) => `${nameOf(object)} selects no pod: ${JSON.stringify(selector)}`),
    ...missing.map(([, value]) => `${nameOf(object)} lists ${value}, which is on no pod`),
  ]
}

/** The listed values. A value on no pod allows a connection that does not exist. */
const listed = ({ matchExpressions = [] }: Selector) =>
  matchExpressions
    .filter(({ operator }) => operator === 'In')
    .flatMap(({ key, values = [] }) => values.map((value) => [key, value] as const))

function servicePorts(object: Manifest, groups: PodGroup[]): string[] {
  const behind = anyOf(groups, { matchLabels: object.spec.selector ?? {} })
  return (object.spec.ports ?? []).flatMap(({ port, targetPort = port }) =>
    behind
      .filter((group) => portNumber(group, targetPort) === undefined)
      .map(({ name }) => `${nameOf(object)} needs port ${targetPort}, which ${name} lacks`),
  )
}

function scrapedPorts(object: Manifest, groups: PodGroup[]): string[] {
  return (object.spec.podMetricsEndpoints ?? []).flatMap(({ port = '' }) =>
    anyOf(groups, object.spec.selector ?? {})
      .filter((group) => portNumber(group, port) === undefined)
      .map(({ name }) => `${nameOf(object)} needs port ${port}, which ${name} lacks`),
  )
}

const unscraped = (objects: readonly Manifest[]) => (group: PodGroup) => {
  if (!group.ports.some(({ name }) => name === 'ops')) return []
  const scraped = ofKind(objects, 'PodMonitor').some(
    ({ spec }) =>
      selects(spec.selector ?? {}, group.labels) &&
      spec.podMetricsEndpoints?.some(({ port }) => port === 'ops'),
  )
  return scraped ? [] : [`the metrics of ${group.name} are read by no PodMonitor`]
}

/** The selectors by which a workload finds and spreads its own pods. */
function ownSelectors({ owner, labels, spec }: PodGroup): string[] {
  const selectsOwn = owner.kind === 'Job' || spec === undefined || selects(owner.spec.selector ?? {}, labels)
  const spreads = spec?.topologySpreadConstraints ?? []
  return [
    ...(selectsOwn ? [] : [`${nameOf(owner)} does not select its own pods`]),
    ...spreads
      .filter(({ labelSelector }) => !selects(labelSelector, labels))
      .map(({ topologyKey }) => `${nameOf(owner)} spreads other pods than its own over ${topologyKey}`),
    ...spreads
      .flatMap(({ matchLabelKeys = [] }) => matchLabelKeys)
      .filter((key) => key !== 'pod-template-hash' && !(key in labels))
      .map((key) => `${nameOf(owner)} spreads by the label ${key}, which its pods do not have`),
  ]
}

function scaleTarget(object: Manifest, objects: readonly Manifest[]): string[] {
  const target = object.spec?.scaleTargetRef
  if (!target) return []
  const found = objects.find(({ kind, metadata }) => kind === target.kind && metadata.name === target.name)
  if (!found) return [`${nameOf(object)} scales ${target.kind} ${target.name}, which does not exist`]
  return found.spec.replicas === undefined
    ? []
    : [`${nameOf(found)} sets replicas, which ${nameOf(object)} decides`]
}
