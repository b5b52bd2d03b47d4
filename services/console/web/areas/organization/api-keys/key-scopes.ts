import type { components } from '@whereabouts/client/client'

export type Scope = components['schemas']['ApiKeyCreate']['scopes'][number]

export const RESOURCES = ['assets', 'locations', 'scans'] as const
export type Resource = (typeof RESOURCES)[number]

export const LEVELS = ['none', 'read', 'write'] as const
/** `write` includes reading. */
type Level = (typeof LEVELS)[number]

export type ScopeForm = Readonly<Record<Resource, Level>> & { readonly isKeysAdmin: boolean }

export const NO_SCOPES: ScopeForm = { assets: 'none', locations: 'none', scans: 'none', isKeysAdmin: false }

const OF_LEVEL = { none: [], read: ['read'], write: ['read', 'write'] } as const

const WORDS: Readonly<Record<string, string>> = {
  'assets:read': 'Read assets',
  'assets:write': 'Change assets',
  'locations:read': 'Read locations',
  'locations:write': 'Change locations',
  'scans:read': 'Read scans',
  'tracking:read': 'Read scans',
  'scans:write': 'Send reads, save inventory',
  'keys:admin': 'Manage API keys',
}

/** What a key may do, and the scopes that allow it: some scopes have two names. A newer API may have more scopes. */
export const scopeTexts = (scopes: readonly string[]): [text: string, scopes: string[]][] => [
  ...Map.groupBy(scopes, (scope) => WORDS[scope] ?? scope),
]

/** The scopes chosen in the form. */
export const scopesOf = (form: ScopeForm): Scope[] => [
  ...RESOURCES.flatMap((resource) => OF_LEVEL[form[resource]].map((may) => `${resource}:${may}` as const)),
  ...(form.isKeysAdmin ? (['keys:admin'] as const) : []),
]

export const EXPIRIES = ['never', '30', '90', '365', 'date'] as const
/** Days from now, or a date. */
export type Expiry = (typeof EXPIRIES)[number]

const DAY_MS = 86_400_000

/** When the key expires; null is never. A date means its end in the viewer's time zone. */
export function expiresAt(expiry: Expiry, day: string, now: number): string | null {
  if (expiry === 'never') return null
  if (expiry !== 'date') return new Date(now + Number(expiry) * DAY_MS).toISOString()
  const end = new Date(`${day}T23:59:59.999`)
  return Number.isNaN(end.getTime()) ? null : end.toISOString()
}

/** A date was chosen but not entered. */
export const lacksDay = (expiry: Expiry, day: string): boolean =>
  expiry === 'date' && expiresAt(expiry, day, 0) === null
