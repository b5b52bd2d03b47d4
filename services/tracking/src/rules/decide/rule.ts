import type { RuleKind, RuleParams } from '@whereabouts/contracts/resources/rules/rules'

/** What decides about one rule, besides movements and the clock. */
export type Rule = {
  orgId: number
  id: number
  /** Grows with each change that counts as a new rule. */
  revision: number
  kind: RuleKind
  params: RuleParams
  forMs: number
  /** Since when it looks: when it was made, changed or enabled. */
  fromMs: number
  /** Whether it raises what was true before. */
  raisesExisting: boolean
  /** The first instant from this one on at which it may raise. */
  openFrom: (ms: number) => number
  /** The first instant after this one at which `missing_at` looks. */
  nextLook: (afterMs: number) => number
  /** Whether the location is one of its places, or in one. True of all, and of none, for a rule without places. */
  isInside: (locationId: number | null) => boolean
  /** Whether the asset is in its scope, apart from where it is. */
  covers: (assetId: number) => boolean
  /** Whether the location is the home of the asset or in it. Null without a home or a location. */
  isAtHome: (assetId: number, locationId: number | null) => boolean | null
}

/** How long the condition lasts before it is true, from its beginning: an asset stays, or is not seen, for so long. */
export const neededMs = ({ kind, params }: Pick<Rule, 'kind' | 'params'>): number =>
  kind === 'stayed_longer_than' || kind === 'not_seen_for' || kind === 'reader_silent'
    ? (params.seconds ?? 0) * 1_000
    : 0

/** Kinds that tell of a movement. They look at movements after the rule was made, and are never already true. */
export const isOfMovements = ({ kind }: Pick<Rule, 'kind'>): boolean => kind === 'entered' || kind === 'left'

export const timeoutMs = ({ params }: Pick<Rule, 'params'>): number | undefined =>
  params.resolve_after_seconds === undefined ? undefined : params.resolve_after_seconds * 1_000
