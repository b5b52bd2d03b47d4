import { ofKind, podGroups } from './manifest.ts'
import type { Manifest } from './manifest.ts'

/** Reserved for the administrator, the operator of the database and PostgreSQL itself. */
const KEPT_FREE = 20

type Environments = ReadonlyMap<string, Record<string, string>>
type Extra = Readonly<Record<string, number>>

/**
 * For each database of the cluster, the connections of the most replicas plus one of each during a rollout, and
 * `max_connections` less those that are kept free. `extra` counts the connections of a service outside its pool.
 */
export const connectionsOf = (
  objects: readonly Manifest[],
  environments: Environments,
  extra: Extra,
): { wanted: number; given: number }[] =>
  ofKind(objects, 'Cluster').map(({ metadata, spec }) => ({
    wanted: wantedFrom(`${metadata.name}-rw`, objects, environments, extra),
    given: Number(spec.postgresql?.parameters?.['max_connections']) - KEPT_FREE,
  }))

function wantedFrom(
  host: string,
  objects: readonly Manifest[],
  environments: Environments,
  extra: Extra,
): number {
  return podGroups(objects).reduce((sum, { name, owner }) => {
    const { DATABASE_URL: url, DATABASE_POOL_SIZE: pool } = environments.get(name) ?? {}
    if (url === undefined || new URL(url).hostname !== host) return sum
    return sum + (Number(pool) + (extra[name] ?? 0)) * (mostOf(owner, objects) + 1)
  }, 0)
}

/** Whether max_connections is enough. */
export const connectionProblems = (
  objects: readonly Manifest[],
  environments: Environments,
  extra: Extra,
): string[] =>
  connectionsOf(objects, environments, extra).flatMap(({ wanted, given }) =>
    wanted <= given ? [] : [`${wanted} connections are needed, and max_connections is ${given + KEPT_FREE}`],
  )

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
