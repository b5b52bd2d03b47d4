import type { Size } from '../../workshop/sizing/sizes.ts'
import { nameOf, ofKind, podGroups, PROBES, selects } from './manifest.ts'
import type { Container, Manifest, PodGroup, PodSpec } from './manifest.ts'

/** Rules for every pod: limits, probes, minimal rights, at least two replicas. */
export function hardeningProblems(objects: readonly Manifest[], size: Size): string[] {
  return [
    ...podGroups(objects).flatMap((group) => podProblems(group, objects, size)),
    ...objects.flatMap(stageProblems),
  ]
}

function podProblems(
  { owner, labels, spec }: PodGroup,
  objects: readonly Manifest[],
  { addOns }: Size,
): string[] {
  if (!spec) return []
  const containers = [...spec.containers, ...(spec.initContainers ?? [])]
  const rules = [
    ...podRules(spec),
    ...containers.flatMap(containerRules),
    ...(owner.kind === 'Job'
      ? []
      : [...spec.containers.flatMap(probeRules), ...serverRules(owner, labels, objects, addOns ? 2 : 1)]),
  ]
  return rules.flatMap(([kept, problem]) => (kept ? [] : [`${nameOf(owner)} ${problem}`]))
}

type Rule = readonly [kept: boolean | undefined, problem: string]

function podRules(spec: PodSpec): Rule[] {
  const { runAsNonRoot, runAsUser, seccompProfile } = spec.securityContext ?? {}
  return [
    [runAsNonRoot && runAsUser === 1000, 'may run as root'],
    [seccompProfile?.type === 'RuntimeDefault', 'has no seccomp profile'],
    [spec.automountServiceAccountToken === false, 'is given a token of the API server'],
    [spec.serviceAccountName !== undefined, 'has no account of its own'],
  ]
}

function containerRules({ image, resources, securityContext, volumeMounts }: Container): Rule[] {
  const { allowPrivilegeEscalation, readOnlyRootFilesystem, capabilities } = securityContext ?? {}
  return [
    [
      /(@sha256:[0-9a-f]{64}|:(?!latest$)[\w][\w.-]*)$/.test(image),
      `has an image that is not pinned: ${image}`,
    ],
    [allowPrivilegeEscalation === false, 'may gain privileges'],
    [readOnlyRootFilesystem, 'may write to its image'],
    [capabilities?.drop?.includes('ALL'), 'keeps capabilities'],
    [resources?.requests?.['cpu'] !== undefined, 'requests no processor'],
    [resources?.requests?.['memory'] !== undefined, 'requests no memory'],
    [resources?.limits?.['memory'] !== undefined, 'has no limit of memory'],
    // Throttling makes responses slow long before others need the processor.
    [resources?.limits?.['cpu'] === undefined, 'has a limit of the processor'],
    [volumeMounts?.every(({ mountPath }) => mountPath !== '/app') ?? true, 'hides its own code'],
  ]
}

const probeRules = (container: Container): Rule[] =>
  PROBES.map((probe) => [container[probe] !== undefined, `has no ${probe}`])

/** A rollout keeps replicas running. */
function serverRules(
  owner: Manifest,
  labels: Record<string, string>,
  objects: readonly Manifest[],
  wanted: number,
): Rule[] {
  const scaler = objects.find(({ spec }) => spec?.scaleTargetRef?.name === owner.metadata.name)?.spec
  const least = owner.spec.replicas ?? scaler?.minReplicas ?? scaler?.minReplicaCount ?? 1
  const budgets = ofKind(objects, 'PodDisruptionBudget')
  const guarded = budgets.filter(({ spec }) => selects(spec.selector ?? {}, labels)).length
  const { maxUnavailable = 0, maxSurge = 1 } = owner.spec.strategy?.rollingUpdate ?? {}
  return [
    [least >= wanted, 'may have fewer than two replicas'],
    [guarded === 1 || wanted === 1, `has ${guarded} disruption budgets, not one`],
    // Or one at a time for dispatchers, because `max_ack_pending` fits two.
    [maxUnavailable === 0 || (maxUnavailable === 1 && maxSurge === 0), 'stops pods before others are ready'],
    [
      labels['app.kubernetes.io/name'] !== 'webhook-dispatcher' ||
        (least === wanted && !scaler && maxSurge === 0),
      'may have more than two replicas',
    ],
  ]
}

const STAGES = new Set(['servers', 'steps', 'services'])

/** `k8s/deploy.sh` applies one stage after the other, Argo CD one wave after the other. */
function stageProblems(object: Manifest): string[] {
  const { labels = {}, annotations = {} } = object.metadata
  const stage = labels['deploy-stage'] ?? 'none'
  if (!STAGES.has(stage)) return [`${nameOf(object)} has no stage and is never applied`]
  const expected = { Job: ['steps', '1'], Deployment: ['services', '2'] }[object.kind]
  const wave = annotations['argocd.argoproj.io/sync-wave']
  return expected && (stage !== expected[0] || wave !== expected[1])
    ? [`${nameOf(object)} is applied in stage ${stage}, wave ${wave}: its order is lost`]
    : []
}
