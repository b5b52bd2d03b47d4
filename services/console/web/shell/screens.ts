import type { TablerIcon } from '@tabler/icons-react'
import IconActivity from '@tabler/icons-react/icons/IconActivity'
import IconAntenna from '@tabler/icons-react/icons/IconAntenna'
import IconBox from '@tabler/icons-react/icons/IconBox'
import IconClipboardCheck from '@tabler/icons-react/icons/IconClipboardCheck'
import IconKey from '@tabler/icons-react/icons/IconKey'
import IconLayoutDashboard from '@tabler/icons-react/icons/IconLayoutDashboard'
import IconMap2 from '@tabler/icons-react/icons/IconMap2'
import IconMapPin from '@tabler/icons-react/icons/IconMapPin'
import IconRocket from '@tabler/icons-react/icons/IconRocket'
import IconTagOff from '@tabler/icons-react/icons/IconTagOff'
import IconUsers from '@tabler/icons-react/icons/IconUsers'
import IconWebhook from '@tabler/icons-react/icons/IconWebhook'
import type { ComponentType } from 'react'

/** Headings of the main menu. */
export const GROUPS = ['Track', 'Set up', 'Connect', 'Organization'] as const

export type ScreenEntry = {
  path: string
  /** Label in the main menu, which has this order. Other screens are linked from these. */
  nav?: string
  icon?: TablerIcon
  group?: (typeof GROUPS)[number]
  load: () => Promise<{ default: ComponentType }>
}

/** All screens for signed-in people. Each script loads when the screen first opens. */
export const SCREENS: readonly ScreenEntry[] = [
  {
    path: '/',
    nav: 'Overview',
    icon: IconLayoutDashboard,
    group: 'Track',
    load: () => import('../screens/overview/overview.tsx'),
  },
  {
    path: '/floor',
    nav: 'Floor',
    icon: IconMap2,
    group: 'Track',
    load: () => import('../screens/floor/floor.tsx'),
  },
  {
    path: '/assets',
    nav: 'Assets',
    icon: IconBox,
    group: 'Track',
    load: () => import('../screens/assets/assets.tsx'),
  },
  { path: '/assets/$assetId', load: () => import('../screens/asset/asset.tsx') },
  { path: '/imports', load: () => import('../screens/imports/imports.tsx') },
  { path: '/imports/$importId', load: () => import('../screens/imports/import.tsx') },
  {
    path: '/locations',
    nav: 'Locations',
    icon: IconMapPin,
    group: 'Track',
    load: () => import('../screens/locations/locations.tsx'),
  },
  { path: '/locations/$locationId', load: () => import('../screens/location/location.tsx') },
  {
    path: '/movements',
    nav: 'Movements',
    icon: IconActivity,
    group: 'Track',
    load: () => import('../screens/movements/movements.tsx'),
  },
  { path: '/live', load: () => import('../screens/live/live.tsx') },
  {
    path: '/inventory',
    nav: 'Save inventory',
    icon: IconClipboardCheck,
    group: 'Track',
    load: () => import('../screens/inventory/inventory.tsx'),
  },
  {
    path: '/unknown-tags',
    nav: 'Unknown tags',
    icon: IconTagOff,
    group: 'Track',
    load: () => import('../screens/unknown-tags/unknown-tags.tsx'),
  },
  {
    path: '/start',
    nav: 'Getting started',
    icon: IconRocket,
    group: 'Set up',
    load: () => import('../screens/start/start.tsx'),
  },
  {
    path: '/readers',
    nav: 'Readers',
    icon: IconAntenna,
    group: 'Set up',
    load: () => import('../screens/readers/readers.tsx'),
  },
  { path: '/readers/$readerId', load: () => import('../screens/readers/reader.tsx') },
  {
    path: '/api-keys',
    nav: 'API keys',
    icon: IconKey,
    group: 'Connect',
    load: () => import('../screens/api-keys/api-keys.tsx'),
  },
  {
    path: '/webhook',
    nav: 'Webhook',
    icon: IconWebhook,
    group: 'Connect',
    load: () => import('../screens/webhook/webhook.tsx'),
  },
  { path: '/account', load: () => import('../screens/account/account.tsx') },
  {
    path: '/members',
    nav: 'Members',
    icon: IconUsers,
    group: 'Organization',
    load: () => import('../screens/members/members.tsx'),
  },
]
