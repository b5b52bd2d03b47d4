import { z } from 'zod'
import type { Manifest } from './manifest.ts'

/** The package with the models of an API group; those of Kubernetes itself are in `kubernetes-models`. */
const PACKAGES: Record<string, string> = {
  'cert-manager.io': '@kubernetes-models/cert-manager',
  'gateway.networking.k8s.io': '@kubernetes-models/gateway-api',
  'keda.sh': '@kubernetes-models/keda',
  'monitoring.coreos.com': '@kubernetes-models/prometheus-operator',
  'postgresql.cnpg.io': '@kubernetes-models/cloudnative-pg',
}

const secretKey = z.strictObject({ name: z.string(), key: z.string() })
const compressed = (how: z.ZodRawShape) =>
  z.strictObject({ compression: z.enum(['gzip', 'snappy', 'zstd']).optional(), ...how }).optional()

/** Kinds without a model in any package: the fields we use, from their documentation. */
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

/** Wrong types, missing fields, unknown fields and unknown kinds. */
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
  if (!validate) return [say(`unknown kind ${type}`)]
  const read = new Set<string>()
  try {
    validate.call(watched(object, '', read))
  } catch (error) {
    return [say(error instanceof Error ? error.message : String(error))]
  }
  return unread(object, '', read).map((path) => say(`unknown field ${path.slice(1)}`))
}

const describe = (issue: z.core.$ZodIssue) => `${issue.path.join('.')} ${issue.message}`

/** Undefined if the client has no model for the kind. */
async function validatorOf({ apiVersion, kind }: Manifest): Promise<(() => void) | undefined> {
  const models = PACKAGES[apiVersion.split('/')[0]!] ?? 'kubernetes-models'
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
