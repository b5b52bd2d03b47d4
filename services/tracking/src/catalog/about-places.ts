import type { About } from '@whereabouts/contracts/messages/about'
import type { CatalogView } from './catalog-view.ts'

/** These live locations, and all that they are in now: filters look at them (ADR 105). */
export const aboutPlaces = (view: CatalogView, orgId: number, ids: readonly number[]): About => ({
  at: [...ids],
  within: view.withAncestors(orgId, ids),
})
