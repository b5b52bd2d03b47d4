import { find, ofKind, podGroups } from './manifest.ts'
import type { Container, Manifest } from './manifest.ts'

/** The variables of a container with their values. The downward API gives the pod's name. */
export function environmentOf(
  { env = [], envFrom = [] }: Container,
  objects: readonly Manifest[],
  secrets: readonly Manifest[],
): Record<string, string> {
  const whole = envFrom.map(({ configMapRef, secretRef }) =>
    configMapRef
      ? find(objects, 'ConfigMap', configMapRef.name)?.data
      : find(secrets, 'Secret', secretRef?.name ?? '')?.data,
  )
  const single = env.map(({ name, value, valueFrom }) => [name, value ?? (valueFrom ? 'pod-0' : '')] as const)
  return Object.assign({}, ...whole, Object.fromEntries(single)) as Record<string, string>
}

/** Deployment, StatefulSet or Job → its variables. */
export function environments(
  objects: readonly Manifest[],
  secrets: readonly Manifest[],
): Map<string, Record<string, string>> {
  return new Map(
    podGroups(objects).flatMap(({ name, spec }) => {
      const [container] = spec?.containers ?? []
      return container ? [[name, environmentOf(container, objects, secrets)] as const] : []
    }),
  )
}

/** Unused ConfigMaps and Secrets, whose settings have no effect. */
export function unusedSources(objects: readonly Manifest[], secrets: readonly Manifest[]): string[] {
  const text = JSON.stringify(objects.filter(({ kind }) => kind !== 'ConfigMap'))
  // Dashboards are found by their label.
  const settings = ofKind(objects, 'ConfigMap').filter(
    ({ metadata }) => metadata.labels?.['grafana_dashboard'] === undefined,
  )
  return [...settings, ...secrets]
    .filter(({ metadata }) => !text.includes(`"${metadata.name}"`))
    .map(({ kind, metadata }) => `${kind} ${metadata.name} is not used`)
}
