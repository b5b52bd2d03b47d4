/**
 * The paths of all screens; `$…` is an id. The app has a screen for each of them, or its types do not check, and the service
 * answers any other path with 404 (D12.15).
 */
export const SIGNED_IN_PATHS = [
  '/',
  '/floor',
  '/assets',
  '/assets/$assetId',
  '/imports',
  '/imports/$importId',
  '/locations',
  '/locations/$locationId',
  '/movements',
  '/live',
  '/alerts',
  '/alerts/$alertId',
  '/exports',
  '/exports/$exportId',
  '/inventory',
  '/unknown-tags',
  '/rules',
  '/rules/$ruleId',
  '/start',
  '/readers',
  '/readers/$readerId',
  '/positions',
  '/api-keys',
  '/webhooks',
  '/webhooks/$webhookId',
  '/events',
  '/account',
  '/limits',
  '/members',
  '/audit',
  '/settings',
] as const

/** Screens that need no session. */
export const OPEN_PATHS = [
  '/sign-in',
  '/sign-up',
  '/accept-invitation',
  '/forgot-password',
  '/reset-password',
  '/verify-email',
  '/confirm-email',
  '/provision',
] as const

export type SignedInPath = (typeof SIGNED_IN_PATHS)[number]
export type OpenPath = (typeof OPEN_PATHS)[number]

/** An id is one part of a path. The app also opens a screen with a slash at the end. */
const SCREEN = new RegExp(
  `^(?:${[...SIGNED_IN_PATHS, ...OPEN_PATHS]
    .map((path) => path.replaceAll(/\$\w+/g, '[^/]+').replace(/\/$/, ''))
    .join('|')})/?$`,
)

/** Whether a path, without its query, is a screen of the app. */
export const isScreen = (path: string): boolean => SCREEN.test(path)
