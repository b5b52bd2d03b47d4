import { ofKind, podGroups } from './manifest.ts'
import type { Manifest } from './manifest.ts'

/** For the administrator, the operator of the database and its own processes. */
const KEPT_FREE = 20

/**
 * Whether the database lets all replicas in that there may be, with one more of each during a rollout. `beside` is what a
 * service opens beside its pool.
 */
export function connectionProblems(
  objects: readonly Manifest[],
  environments: ReadonlyMap<string, Record<string, string>>,
  beside: Readonly<Record<string, number>>,
): string[] {
  const wanted = podGroups(objects).reduce((sum, { name, owner }) => {
    const pool = environments.get(name)?.['DATABASE_POOL_SIZE']
    if (pool === undefined) return sum
    return sum + (Number(pool) + (beside[name] ?? 0)) * (mostOf(owner, objects) + 1)
  }, 0)
  return ofKind(objects, 'Cluster').flatMap(({ spec }) => {
    const most = Number(spec.postgresql?.parameters?.['max_connections'])
    return wanted <= most - KEPT_FREE ? [] : [`${wanted} connections are wanted, and there are ${most}`]
  })
}

function mostOf({ metadata, spec }: Manifest, objects: readonly Manifest[]): number {
  const scaler = objects.find(({ spec: of }) => of?.scaleTargetRef?.name === metadata.name)?.spec
  return scaler?.maxReplicas ?? scaler?.maxReplicaCount ?? spec.replicas ?? 1
}

/** Counts in a main.ts what is opened beside the pool whose size is configured. */
export const connectionsBeside = (source: string): number =>
  [...source.matchAll(/\bmax: (\d+)|\b(openPipeline)\(/g)].reduce((sum, [, max]) => sum + Number(max ?? 1), 0)
