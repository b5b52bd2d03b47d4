import { branches, type Operation } from './operations.ts'
import { liveResources, type World } from './world.ts'

const kinds = ['asset', 'location'] as const

/** All reads of a world. Lists come first, because they show `deleted_at` of deleted resources. */
export const finalReads = (world: World, sorts: readonly string[]): Operation[] =>
  world.orgs.flatMap((_, org) => [
    ...listReads(org, sorts),
    ...detailReads(world, org),
    ...treeReads(world, org),
  ])

function listReads(org: number, sorts: readonly string[]): Operation[] {
  const queries = [
    ...sorts.flatMap((sort) => [{ sort, include_deleted: true }, { sort }]),
    ...['e28', 'break'].map((q) => ({ q, include_deleted: true })), // parts of tag values, also of detached tags
  ]
  return kinds.flatMap((kind) =>
    queries.map((query): Operation => ({ do: 'list', org, kind, query: { limit: 200, ...query } })),
  )
}

const detailReads = (world: World, org: number): Operation[] =>
  (world.orgs[org]?.resources ?? []).map(({ kind, id }) => ({ do: 'get', org, kind, id }))

function treeReads(world: World, org: number): Operation[] {
  const own = world.orgs[org]
  const locations = own ? liveResources(own, 'location') : []
  return locations.flatMap(({ id }) =>
    branches.map((branch): Operation => ({
      do: 'tree',
      org,
      kind: 'location',
      id,
      branch,
      query: { limit: 200 },
    })),
  )
}
