import { ofKind, podGroups } from './manifest.ts'
import type { Manifest } from './manifest.ts'

/** Reserved for the administrator, the operator of the database and PostgreSQL itself. */
const KEPT_FREE = 20

/**
 * Whether max_connections is enough for the most replicas, plus one of each during a rollout. `extra` counts the
 * connections of a service outside its pool.
 */
export function connectionProblems(
  objects: readonly Manifest[],
  environments: ReadonlyMap<string, Record<string, string>>,
  extra: Readonly<Record<string, number>>,
): string[] {
  const wanted = podGroups(objects).reduce((sum, { name, owner }) => {
    const pool = environments.get(name)?.['DATABASE_POOL_SIZE']
    if (pool === undefined) return sum
    return sum + (Number(pool) + (extra[name] ?? 0)) * (mostOf(owner, objects) + 1)
  }, 0)
  return ofKind(objects, 'Cluster').flatMap(({ spec }) => {
    const most = Number(spec.postgresql?.parameters?.['max_connections'])
    return wanted <= most - KEPT_FREE
      ? []
      : [`${wanted} connections are needed, and max_connections is ${most}`]
  })
}

function mostOf({ metadata, spec }: Manifest, objects: readonly Manifest[]): number {
  const scaler = objects.find(({ spec: of }) => of?.scaleTargetRef?.name === metadata.name)?.spec
  return scaler?.maxReplicas ?? scaler?.maxReplicaCount ?? spec.replicas ?? 1
}

/** Counts the connections in a main.ts outside the configured pool. A tenant database has one more, to cancel statements. */
export const connectionsOutsidePool = (source: string): number =>
  [...source.matchAll(/\bmax: (\d+)|\b(?:openPipeline|openTenantDatabase)\b(?:<\w+>)?\(/g)].reduce(
    (sum, [, max]) => sum + Number(max ?? 1),
    0,
  )
