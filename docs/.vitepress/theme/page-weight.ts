const WEIGHTS: readonly (readonly [RegExp, number])[] = [
  [/^\/docs\/(?:quick-start|integrating|webhooks|readers)(?:#|$)/, 1.5],
  [/^\/docs\/(?:contract|changelog|performance|scaling|coming-from|event-types)(?:#|$)/, 0.5],
  [/^\/docs\/(?:runbooks(?:#|$)|contributing\/|design\/)/, 0.25],
  [/^\/docs\/adr\//, 0.1],
]

/** Who searches for a status wants to know what to do about it. */
const isStatus = (id: string, term: string) => /^\d{3}$/.test(term) && id.startsWith('/docs/errors#')

/** How much the search prefers a section: most readers look for how to do something, few for why it is so. */
export const pageWeight = (id: string, term: string): number =>
  isStatus(id, term) ? 8 : (WEIGHTS.find(([pages]) => pages.test(id))?.[1] ?? 1)
