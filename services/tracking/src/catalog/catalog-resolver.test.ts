import { expect, test } from 'vitest'
import { CatalogResolver, type AskCatalog } from './catalog-resolver.ts'
import { CatalogView } from './catalog-view.ts'

const MAX_UNKNOWN = 100_000

/** Resolves ids of locations with a catalog that knows none, and returns for how many it asked catalog. */
function resolverOfNothing() {
  const asked: number[] = []
  const ask: AskCatalog = async ({ location_ids = [] }) => {
    asked.push(...location_ids)
    return { assets: [], locations: [], tags: [] }
  }
  const resolver = new CatalogResolver(new CatalogView(), ask)
  return async (...locationIds: number[]) => {
    asked.length = 0
    await resolver.resolve(1, { locationIds })
    return asked.length
  }
}

test('asks for an unknown name again, but only after a second', async () => {
  const resolve = resolverOfNothing()
  const before = performance.now()
  expect(await resolve(7)).toBe(1)
  await expect.poll(() => resolve(7), { timeout: 5_000, interval: 20 }).toBe(1)
  expect(performance.now() - before).toBeGreaterThan(990)
})

test('evicts the oldest of too many unknown names', async () => {
  const resolve = resolverOfNothing()
  await resolve(...Array.from({ length: MAX_UNKNOWN + 1 }, (_, i) => i))
  expect(await resolve(MAX_UNKNOWN)).toBe(0)
  expect(await resolve(0)).toBe(1)
})
