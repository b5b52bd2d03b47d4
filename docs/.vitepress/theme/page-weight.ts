const WEIGHTS: readonly (readonly [RegExp, number])[] = [
  [/^\/docs\/errors#[a-z_]+$/, 8], // types and codes: whoever searches for a status wants to know what to do
  [/^\/docs\/(?:quick-start|integrating|webhooks|readers(?:\/[\w-]+)?)(?:#|$)/, 2],
  [/^\/docs\/adr\//, 0.25],
]

/** How much the search prefers a section: most readers look for how to do something, few for why it is so. */
export const pageWeight = (id: string): number => WEIGHTS.find(([pages]) => pages.test(id))?.[1] ?? 1
