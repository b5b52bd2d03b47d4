import { find, nameOf, ofKind, podGroups } from './manifest.ts'
import type { Container, Manifest, PodGroup, Volume } from './manifest.ts'

/** References to ConfigMaps, Secrets, accounts, volumes, issuers and services that do not exist. */
export function referenceProblems(objects: readonly Manifest[], secrets: readonly Manifest[]): string[] {
  const keys = keysOf(objects, secrets)
  return [
    ...podGroups(objects).flatMap((group) => podReferences(group, objects, keys)),
    ...ofKind(objects, 'HTTPRoute').flatMap((route) => backends(route, objects)),
    ...objects.flatMap((object) => issuer(object, objects)),
    ...objects.flatMap((object) => storageCredentials(object, objects, keys)),
    ...namespaces(objects),
  ]
}

/** `Secret name` or `ConfigMap name` → the keys it has. */
type Keys = ReadonlyMap<string, readonly string[]>

function keysOf(objects: readonly Manifest[], secrets: readonly Manifest[]): Keys {
  const given = [...ofKind(objects, 'ConfigMap'), ...secrets].map(
    (object) => [nameOf(object), Object.keys(object.data ?? {})] as const,
  )
  // Made by cert-manager, and by the operator of the database.
  const certificates = ofKind(objects, 'Certificate').map(
    ({ spec }) => [`Secret ${spec.secretName}`, ['tls.crt', 'tls.key', 'ca.crt']] as const,
  )
  const clusters = ofKind(objects, 'Cluster').map(
    ({ metadata }) => [`Secret ${metadata.name}-ca`, ['ca.crt', 'ca.key']] as const,
  )
  return new Map<string, readonly string[]>([...given, ...certificates, ...clusters])
}

function podReferences({ owner, spec }: PodGroup, objects: readonly Manifest[], keys: Keys): string[] {
  if (!spec) return []
  const say = (problem: string) => `${nameOf(owner)} ${problem}`
  const account = spec.serviceAccountName ?? 'default'
  const claims = owner.spec.volumeClaimTemplates?.map(({ metadata }) => metadata.name) ?? []
  const volumes = [...(spec.volumes ?? []).map(({ name }) => name), ...claims]
  const mounts = spec.containers.flatMap(({ volumeMounts = [] }) => volumeMounts)
  return [
    ...(find(objects, 'ServiceAccount', account) ? [] : [say(`runs as ${account}, which does not exist`)]),
    ...(spec.volumes ?? []).flatMap((volume) => sourceOf(volume, keys)).map(say),
    ...spec.containers.flatMap((container) => variables(container, keys)).map(say),
    ...mounts
      .filter(({ name }) => !volumes.includes(name))
      .map(({ name }) => say(`mounts ${name}, which is not a volume`)),
    ...volumes
      .filter((volume) => !mounts.some(({ name }) => name === volume))
      .map((volume) => say(`has the volume ${volume} and mounts it nowhere`)),
    ...headless(owner, objects).map(say),
  ]
}

function sourceOf({ configMap, secret, persistentVolumeClaim: claim }: Volume, keys: Keys): string[] {
  if (claim) return [`claims ${claim.claimName}: give it a template`]
  if (configMap) return missing(`ConfigMap ${configMap.name}`, configMap, keys)
  return secret ? missing(`Secret ${secret.secretName}`, secret, keys) : []
}

function missing(
  name: string,
  { items = [], optional = false }: { items?: { key: string }[]; optional?: boolean },
  keys: Keys,
): string[] {
  const known = keys.get(name)
  if (!known) return optional ? [] : [`needs ${name}, which does not exist`]
  return items
    .filter(({ key }) => !known.includes(key))
    .map(({ key }) => `needs ${key} of ${name}, which lacks it`)
}

function variables({ env = [], envFrom = [] }: Container, keys: Keys): string[] {
  const whole = envFrom.flatMap(({ configMapRef, secretRef }) => [
    ...(configMapRef ? missing(`ConfigMap ${configMapRef.name}`, configMapRef, keys) : []),
    ...(secretRef ? missing(`Secret ${secretRef.name}`, secretRef, keys) : []),
  ])
  const single = env.flatMap(({ valueFrom = {} }) =>
    Object.entries(valueFrom).flatMap(([source, { name, key }]) => {
      const kind = { configMapKeyRef: 'ConfigMap', secretKeyRef: 'Secret' }[source]
      return kind && key !== undefined ? missing(`${kind} ${name}`, { items: [{ key }] }, keys) : []
    }),
  )
  return [...whole, ...single]
}

function headless({ spec }: Manifest, objects: readonly Manifest[]): string[] {
  const { serviceName } = spec
  if (serviceName === undefined || find(objects, 'Service', serviceName)) return []
  return [`names its pods by the Service ${serviceName}, which does not exist`]
}

function backends(route: Manifest, objects: readonly Manifest[]): string[] {
  const refs = route.spec.rules?.flatMap(({ backendRefs = [] }) => backendRefs) ?? []
  return refs.flatMap(({ name, port }) => {
    const ports = find(objects, 'Service', name)?.spec.ports
    return ports?.some((offered) => offered.port === port)
      ? []
      : [`${nameOf(route)} leads to ${name}:${port}, which does not exist`]
  })
}

function issuer(object: Manifest, objects: readonly Manifest[]): string[] {
  const { issuerRef, ca } = object.spec ?? {}
  const made = ofKind(objects, 'Certificate').map(({ spec }) => spec.secretName)
  return [
    ...(issuerRef && !find(objects, issuerRef.kind ?? 'Issuer', issuerRef.name)
      ? [`${nameOf(object)} is issued by ${issuerRef.name}, which does not exist`]
      : []),
    ...(ca && !made.includes(ca.secretName)
      ? [`${nameOf(object)} signs with ${ca.secretName}, which does not exist`]
      : []),
  ]
}

/** References for the operator of the database. */
function storageCredentials(object: Manifest, objects: readonly Manifest[], keys: Keys): string[] {
  const { superuserSecret, configuration, plugins = [], cluster } = object.spec ?? {}
  const stores = plugins.flatMap(({ parameters }) => parameters?.['barmanObjectName'] ?? [])
  const credentials = Object.values(configuration?.s3Credentials ?? {})
  const problems = [
    ...(superuserSecret
      ? missing(`Secret ${superuserSecret.name}`, { items: [{ key: 'username' }, { key: 'password' }] }, keys)
      : []),
    ...credentials.flatMap(({ name, key }) => missing(`Secret ${name}`, { items: [{ key }] }, keys)),
    ...stores
      .filter((name) => !find(objects, 'ObjectStore', name))
      .map((name) => `keeps its backups in ${name}, which does not exist`),
    ...(cluster && !find(objects, 'Cluster', cluster.name)
      ? [`backs up ${cluster.name}, which does not exist`]
      : []),
  ]
  return problems.map((problem) => `${nameOf(object)} ${problem}`)
}

function namespaces(objects: readonly Manifest[]): string[] {
  const [own, ...more] = ofKind(objects, 'Namespace')
  if (!own || more.length > 0) return [`${more.length + (own ? 1 : 0)} namespaces, not one`]
  return objects
    .filter(({ kind, metadata }) => kind !== 'Namespace' && metadata.namespace !== own.metadata.name)
    .map((object) => `${nameOf(object)} is not in ${own.metadata.name}`)
}
