import type { components } from '@whereabouts/client/client'

export type Scope = components['schemas']['ApiKeyCreate']['scopes'][number]

type May = 'read' | 'write'
/** Another name of a scope: shown, and not offered (D8.4). */
type Alias = 'tracking:read'
/** They have no other level. */
type OnlyRead = 'events:read' | 'audit:read'
type ResourceOf<S> = S extends `${infer R}:${May}` ? R : never
type Resource = ResourceOf<Exclude<Scope, Alias | OnlyRead>>
/** Scopes that are no level of a resource: each has a checkbox. */
type Special = Exclude<Scope, Alias | `${Resource}:${May}`>

/** The form offers these, in this order. Its types ask for each scope of the API. */
export const RESOURCE_TEXTS: Readonly<Record<Resource, readonly [label: string, description: string]>> = {
  assets: ['Assets', 'Assets and their tags'],
  locations: ['Locations', 'Locations and their tags'],
  scans: ['Scans', 'Current and past locations. Write access can publish scans and save inventory.'],
  rules: ['Rules and alerts', 'Rules and their alerts. Write access can acknowledge alerts.'],
}
export const RESOURCES = Object.keys(RESOURCE_TEXTS) as Resource[]

/** The checkboxes of the form, with the name of each in `ScopeForm`. */
export const CHECKBOXES = {
  'events:read': {
    name: 'isFollowing',
    label: 'Follow events',
    description:
      'What happens, as it happens: movements and all changes of assets, locations and tags (events:read)',
  },
  'audit:read': {
    name: 'isAuditing',
    label: 'Read who did what',
    description: 'All changes with who made them, sign-ins and exports, for up to 400 days (audit:read)',
  },
  'keys:admin': {
    name: 'isKeysAdmin',
    label: 'Manage API keys',
    description:
      'Full administration: create keys that may do anything, also after this one has expired, and revoke any key (keys:admin)',
  },
  'webhooks:admin': {
    name: 'isWebhooksAdmin',
    label: 'Manage the webhook',
    description:
      'Register, change, test and remove it, see its deliveries, replace its secret (webhooks:admin)',
  },
} as const satisfies Readonly<Record<Special, { name: string; label: string; description: string }>>

export const LEVELS = ['none', 'read', 'write'] as const
/** `write` includes reading. */
type Level = (typeof LEVELS)[number]

export type ScopeForm = Readonly<Record<Resource, Level>> &
  Readonly<Record<(typeof CHECKBOXES)[Special]['name'], boolean>>

export const NO_SCOPES: ScopeForm = {
  assets: 'none',
  locations: 'none',
  scans: 'none',
  rules: 'none',
  isFollowing: false,
  isAuditing: false,
  isKeysAdmin: false,
  isWebhooksAdmin: false,
}

const OF_LEVEL = { none: [], read: ['read'], write: ['read', 'write'] } as const

const WORDS: Readonly<Record<Scope, string>> = {
  'assets:read': 'Read assets',
  'assets:write': 'Change assets',
  'locations:read': 'Read locations',
  'locations:write': 'Change locations',
  'scans:read': 'Read scans',
  'tracking:read': 'Read scans',
  'scans:write': 'Send reads, save inventory',
  'rules:read': 'Read rules and alerts',
  'rules:write': 'Change rules, acknowledge alerts',
  'keys:admin': 'Manage API keys',
  'events:read': 'Follow events',
  'audit:read': 'Read who did what',
  'webhooks:admin': 'Manage the webhook',
}
const wordsOf = (scope: string, words: Readonly<Record<string, string>> = WORDS) => words[scope] ?? scope

/** What a key may do, and the scopes that allow it: some scopes have two names. A newer API may have more scopes. */
export const scopeTexts = (scopes: readonly string[]): [text: string, scopes: string[]][] => [
  ...Map.groupBy(scopes, (scope) => wordsOf(scope)),
]

/** The scopes chosen in the form. */
export const scopesOf = (form: ScopeForm): Scope[] => [
  ...RESOURCES.flatMap((resource) => OF_LEVEL[form[resource]].map((may) => `${resource}:${may}` as const)),
  ...(Object.keys(CHECKBOXES) as Special[]).filter((scope) => form[CHECKBOXES[scope].name]),
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
