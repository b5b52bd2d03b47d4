import { ofKind, podGroups } from './manifest.ts'
import type { Manifest } from './manifest.ts'

/** Reserved for the administrator, the operator of the database and PostgreSQL itself. */
const KEPT_FREE = 20

type Environments = ReadonlyMap<string, Record<string, string>>
type Extra = Readonly<Record<string, number>>

/**
 * Connections of the most replicas, plus one of each during a rollout. `extra` counts the connections of a service outside
 * its pool.
 */
export const connectionsWanted = (
  objects: readonly Manifest[],
  environments: Environments,
  extra: Extra,
): number =>
  podGroups(objects).reduce((sum, { name, owner }) => {
    const pool = environments.get(name)?.['DATABASE_POOL_SIZE']
    if (pool === undefined) return sum
    return sum + (Number(pool) + (extra[name] ?? 0)) * (mostOf(owner, objects) + 1)
  }, 0)

/** `max_connections` of each database of the cluster, less those that are kept free. */
export const connectionsGiven = (objects: readonly Manifest[]): number[] =>
  ofKind(objects, 'Cluster').map(
    ({ spec }) => Number(spec.postgresql?.parameters?.['max_connections']) - KEPT_FREE,
  )

/** Whether max_connections is enough. */
export function connectionProblems(
  objects: readonly Manifest[],
  environments: Environments,
  extra: Extra,
): string[] {
  const wanted = connectionsWanted(objects, environments, extra)
  return connectionsGiven(objects).flatMap((most) =>
    wanted <= most ? [] : [`${wanted} connections are needed, and max_connections is ${most + KEPT_FREE}`],
  )
}

function mostOf({ metadata, spec }: Manifest, objects: readonly Manifest[]): number {
  const scaler = objects.find(({ spec: of }) => of?.scaleTargetRef?.name === metadata.name)?.spec
  return scaler?.maxReplicas ?? scaler?.maxReplicaCount ?? spec.replicas ?? 1
}

/** Counts the connections in a parts.ts outside the configured pool. A tenant database has one more, to cancel statements. */
export const connectionsOutsidePool = (source: string): number =>
  [...source.matchAll(/\bmax: (\d+)|\b(?:openPipeline|openTenantDatabase)\b(?:<\w+>)?\(/g)].reduce(
    (sum, [, max]) => sum + Number(max ?? 1),
    0,
  )
