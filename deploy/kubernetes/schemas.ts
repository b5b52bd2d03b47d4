import { z } from 'zod'
import type { Manifest } from './manifest.ts'

/** Where the model of a kind is. The name of the class is the kind. */
const MODELS: Record<string, string> = {
  v1: 'kubernetes-models/v1',
  'apps/v1': 'kubernetes-models/apps/v1',
  'autoscaling/v2': 'kubernetes-models/autoscaling/v2',
  'batch/v1': 'kubernetes-models/batch/v1',
  'networking.k8s.io/v1': 'kubernetes-models/networking.k8s.io/v1',
  'policy/v1': 'kubernetes-models/policy/v1',
  'cert-manager.io/v1': '@kubernetes-models/cert-manager/cert-manager.io/v1',
  'gateway.networking.k8s.io/v1': '@kubernetes-models/gateway-api/gateway.networking.k8s.io/v1',
  'keda.sh/v1alpha1': '@kubernetes-models/keda/keda.sh/v1alpha1',
  'monitoring.coreos.com/v1': '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1',
  'postgresql.cnpg.io/v1': '@kubernetes-models/cloudnative-pg/postgresql.cnpg.io/v1',
}

const secretKey = z.strictObject({ name: z.string(), key: z.string() })
const compressed = (how: z.ZodRawShape) =>
  z.strictObject({ compression: z.enum(['gzip', 'snappy', 'zstd']).optional(), ...how }).optional()

/** Kinds that no package has a model of: what we use of them, by their documentation. */
const OWN: Record<string, z.ZodType> = {
  'barmancloud.cnpg.io/v1 ObjectStore': z.strictObject({
    apiVersion: z.string(),
    kind: z.string(),
    metadata: z.looseObject({ name: z.string() }),
    spec: z.strictObject({
      retentionPolicy: z.string().regex(/^[1-9]\d*[dwm]$/),
      configuration: z.strictObject({
        destinationPath: z.string(),
        endpointURL: z.url().optional(),
        s3Credentials: z.strictObject({ accessKeyId: secretKey, secretAccessKey: secretKey }),
        wal: compressed({ maxParallel: z.int().optional() }),
        data: compressed({ jobs: z.int().optional() }),
      }),
    }),
  }),
}

/** Wrong types, missing fields, fields that do not exist, and kinds that are not known here. */
export async function schemaProblems(objects: readonly Manifest[]): Promise<string[]> {
  const problems = await Promise.all(objects.map(problemsOf))
  return problems.flat()
}

async function problemsOf(object: Manifest): Promise<string[]> {
  const type = `${object.apiVersion} ${object.kind}`
  const say = (problem: string) => `${object.kind} ${object.metadata.name}: ${problem}`
  const own = OWN[type]
  if (own) return own.safeParse(object).error?.issues.map((issue) => say(describe(issue))) ?? []
  const validate = await validatorOf(object)
  if (!validate) return [say(`nothing is known of ${type}`)]
  const read = new Set<string>()
  try {
    validate.call(watched(object, '', read))
  } catch (error) {
    return [say(error instanceof Error ? error.message : String(error))]
  }
  return unread(object, '', read).map((path) => say(`there is no ${path.slice(1)}`))
}

const describe = (issue: z.core.$ZodIssue) => `${issue.path.join('.')} ${issue.message}`

type Model = { prototype: { validate: () => void } }

async function validatorOf({ apiVersion, kind }: Manifest): Promise<(() => void) | undefined> {
  const folder = MODELS[apiVersion]
  if (folder === undefined) return undefined
  try {
    const module = (await import(`${folder}/${kind}`)) as Record<string, Model>
    return module[kind]?.prototype.validate
  } catch (error) {
    if (error instanceof Error && 'code' in error && /NOT_(EXPORTED|FOUND)/.test(String(error.code)))
      return undefined
    throw error
  }
}

/**
 * The same value, noting the path of all that is read of it. The models are validators that pass over unknown fields,
 * but they look at every field they know: one that was never looked at does not exist.
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
