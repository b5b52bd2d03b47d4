import { z } from 'zod'
import type { Manifest } from './manifest.ts'

/** The kinds we use, each with the module of its model, whose class has the kind's name. */
const MODELS: Record<string, () => Promise<object>> = {
  'v1 ConfigMap': () => import('kubernetes-models/v1/ConfigMap'),
  'v1 Namespace': () => import('kubernetes-models/v1/Namespace'),
  'v1 Secret': () => import('kubernetes-models/v1/Secret'),
  'v1 Service': () => import('kubernetes-models/v1/Service'),
  'v1 ServiceAccount': () => import('kubernetes-models/v1/ServiceAccount'),
  'apps/v1 Deployment': () => import('kubernetes-models/apps/v1/Deployment'),
  'apps/v1 StatefulSet': () => import('kubernetes-models/apps/v1/StatefulSet'),
  'autoscaling/v2 HorizontalPodAutoscaler': () =>
    import('kubernetes-models/autoscaling/v2/HorizontalPodAutoscaler'),
  'batch/v1 Job': () => import('kubernetes-models/batch/v1/Job'),
  'networking.k8s.io/v1 NetworkPolicy': () => import('kubernetes-models/networking.k8s.io/v1/NetworkPolicy'),
  'policy/v1 PodDisruptionBudget': () => import('kubernetes-models/policy/v1/PodDisruptionBudget'),
  'cert-manager.io/v1 Certificate': () =>
    import('@kubernetes-models/cert-manager/cert-manager.io/v1/Certificate'),
  'cert-manager.io/v1 Issuer': () => import('@kubernetes-models/cert-manager/cert-manager.io/v1/Issuer'),
  'gateway.networking.k8s.io/v1 HTTPRoute': () =>
    import('@kubernetes-models/gateway-api/gateway.networking.k8s.io/v1/HTTPRoute'),
  'keda.sh/v1alpha1 ScaledObject': () => import('@kubernetes-models/keda/keda.sh/v1alpha1/ScaledObject'),
  'monitoring.coreos.com/v1 PodMonitor': () =>
    import('@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1/PodMonitor'),
  'monitoring.coreos.com/v1 PrometheusRule': () =>
    import('@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1/PrometheusRule'),
  'postgresql.cnpg.io/v1 Cluster': () =>
    import('@kubernetes-models/cloudnative-pg/postgresql.cnpg.io/v1/Cluster'),
  'postgresql.cnpg.io/v1 ScheduledBackup': () =>
    import('@kubernetes-models/cloudnative-pg/postgresql.cnpg.io/v1/ScheduledBackup'),
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
  const module = await MODELS[`${apiVersion} ${kind}`]?.()
  return (module as Record<string, Model> | undefined)?.[kind]?.prototype.validate
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
