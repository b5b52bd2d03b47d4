import type { Manifest } from './manifest.ts'

/** The package with the models of an API group; those of Kubernetes itself are in `kubernetes-models`. */
const PACKAGES: Record<string, string> = {
  'cert-manager.io': '@kubernetes-models/cert-manager',
  'gateway.networking.k8s.io': '@kubernetes-models/gateway-api',
  'keda.sh': '@kubernetes-models/keda',
  'monitoring.coreos.com': '@kubernetes-models/prometheus-operator',
  'postgresql.cnpg.io': '@kubernetes-models/cloudnative-pg',
}

/**
 * The store of the Barman Cloud plugin, which no package has, as the operator's `spec.backup` of a Cluster: the plugin took
 * over its fields and types. So the operator's own schema checks them.
 */
function asKnownKind(object: Manifest): Manifest {
  if (`${object.apiVersion} ${object.kind}` !== 'barmancloud.cnpg.io/v1 ObjectStore') return object
  const { configuration: barmanObjectStore, ...others } = object.spec
  const spec = { instances: 1, backup: { barmanObjectStore, ...others } }
  return { ...object, apiVersion: 'postgresql.cnpg.io/v1', kind: 'Cluster', spec }
}

/** Wrong types, missing fields, unknown fields and unknown kinds. */
export async function schemaProblems(objects: readonly Manifest[]): Promise<string[]> {
  const problems = await Promise.all(objects.map(problemsOf))
  return problems.flat()
}

async function problemsOf(object: Manifest): Promise<string[]> {
  const type = `${object.apiVersion} ${object.kind}`
  const say = (problem: string) => `${object.kind} ${object.metadata.name}: ${problem}`
  const known = asKnownKind(object)
  const validate = await validatorOf(known)
  if (!validate) return [say(`unknown kind ${type}`)]
  const read = new Set<string>()
  try {
    validate.call(watched(known, '', read))
  } catch (error) {
    return [say(error instanceof Error ? error.message : String(error))]
  }
  return unread(known, '', read).map((path) => say(`unknown field ${path.slice(1)}`))
}

/** Undefined if the client has no model for the kind. */
async function validatorOf({ apiVersion, kind }: Manifest): Promise<(() => void) | undefined> {
  const models = PACKAGES[apiVersion.replace(/\/.*/, '')] ?? 'kubernetes-models'
  // It still has the beta versions that Kubernetes itself has removed.
  if (models === 'kubernetes-models' && !/^([\w.]+\/)?v\d+$/.test(apiVersion)) return undefined
  try {
    const module: Record<string, { prototype: { validate: () => void } }> = await import(
      `${models}/${apiVersion}/${kind}`
    )
    return module[kind]?.prototype.validate
  } catch {
    return undefined
  }
}

/**
 * The same value, recording each path that is read. The models ignore unknown fields but read every field they know, so
 * a field that is never read does not exist.
 */
function watched<T>(value: T, path: string, read: Set<string>): T {
  if (typeof value !== 'object' || value === null) return value
  return new Proxy(value, {
    get(target, key, receiver) {
      const found: unknown = Reflect.get(target, key, receiver)
      if (typeof key !== 'string' || !Object.hasOwn(target, key)) return found
      read.add(`${path}.${key}`)
      return watched(found, `${path}.${key}`, read)
    },
  })
}

function unread(value: unknown, path: string, read: ReadonlySet<string>): string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) => {
    const here = `${path}.${key}`
    return read.has(here) ? unread(inner, here, read) : [here]
  })
}
