import type { ComponentType } from 'react'

/** Headings of the main menu. */
export const GROUPS = ['Track', 'Set up', 'Connect', 'Organization'] as const

export type ScreenEntry = {
  path: string
  /** Label in the main menu, which has this order. Other screens are linked from these. */
  nav?: string
  group?: (typeof GROUPS)[number]
  load: () => Promise<{ default: ComponentType }>
}

/** All screens for signed-in people. Each script loads when the screen first opens. */
export const SCREENS: readonly ScreenEntry[] = [
  { path: '/', nav: 'Overview', group: 'Track', load: () => import('../screens/overview/overview.tsx') },
  { path: '/floor', nav: 'Floor', group: 'Track', load: () => import('../screens/floor/floor.tsx') },
  { path: '/assets', nav: 'Assets', group: 'Track', load: () => import('../screens/assets/assets.tsx') },
  { path: '/assets/$assetId', load: () => import('../screens/asset/asset.tsx') },
  { path: '/imports', load: () => import('../screens/imports/imports.tsx') },
  { path: '/imports/$importId', load: () => import('../screens/imports/import.tsx') },
  {
    path: '/locations',
    nav: 'Locations',
    group: 'Track',
    load: () => import('../screens/locations/locations.tsx'),
  },
  { path: '/locations/$locationId', load: () => import('../screens/location/location.tsx') },
  {
    path: '/movements',
    nav: 'Movements',
    group: 'Track',
    load: () => import('../screens/movements/movements.tsx'),
  },
  { path: '/live', load: () => import('../screens/live/live.tsx') },
  {
    path: '/inventory',
    nav: 'Save inventory',
    group: 'Track',
    load: () => import('../screens/inventory/inventory.tsx'),
  },
  {
    path: '/unknown-tags',
    nav: 'Unknown tags',
    group: 'Track',
    load: () => import('../screens/unknown-tags/unknown-tags.tsx'),
  },
  {
    path: '/start',
    nav: 'Getting started',
    group: 'Set up',
    load: () => import('../screens/start/start.tsx'),
  },
  { path: '/readers', nav: 'Readers', group: 'Set up', load: () => import('../screens/readers/readers.tsx') },
  { path: '/readers/$readerId', load: () => import('../screens/readers/reader.tsx') },
  {
    path: '/api-keys',
    nav: 'API keys',
    group: 'Connect',
    load: () => import('../screens/api-keys/api-keys.tsx'),
  },
  {
    path: '/webhook',
    nav: 'Webhook',
    group: 'Connect',
    load: () => import('../screens/webhook/webhook.tsx'),
  },
  { path: '/account', load: () => import('../screens/account/account.tsx') },
  {
    path: '/members',
    nav: 'Members',
    group: 'Organization',
    load: () => import('../screens/members/members.tsx'),
  },
]
