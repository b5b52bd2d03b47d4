import type { TablerIcon } from '@tabler/icons-react'
import IconActivity from '@tabler/icons-react/icons/IconActivity'
import IconAdjustments from '@tabler/icons-react/icons/IconAdjustments'
import IconAntenna from '@tabler/icons-react/icons/IconAntenna'
import IconBell from '@tabler/icons-react/icons/IconBell'
import IconBox from '@tabler/icons-react/icons/IconBox'
import IconClipboardCheck from '@tabler/icons-react/icons/IconClipboardCheck'
import IconFileExport from '@tabler/icons-react/icons/IconFileExport'
import IconHistory from '@tabler/icons-react/icons/IconHistory'
import IconGauge from '@tabler/icons-react/icons/IconGauge'
import IconKey from '@tabler/icons-react/icons/IconKey'
import IconLayoutDashboard from '@tabler/icons-react/icons/IconLayoutDashboard'
import IconMap2 from '@tabler/icons-react/icons/IconMap2'
import IconMapPin from '@tabler/icons-react/icons/IconMapPin'
import IconRocket from '@tabler/icons-react/icons/IconRocket'
import IconSettings from '@tabler/icons-react/icons/IconSettings'
import IconTagOff from '@tabler/icons-react/icons/IconTagOff'
import IconTimelineEvent from '@tabler/icons-react/icons/IconTimelineEvent'
import IconUsers from '@tabler/icons-react/icons/IconUsers'
import IconWebhook from '@tabler/icons-react/icons/IconWebhook'
import type { ComponentType } from 'react'
import { SIGNED_IN_PATHS, type SignedInPath } from '../../src/screens.ts'

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
const BY_PATH: Readonly<Record<SignedInPath, Omit<ScreenEntry, 'path'>>> = {
  '/': {
    nav: 'Overview',
    icon: IconLayoutDashboard,
    group: 'Track',
    load: () => import('../areas/overview/overview/overview.tsx'),
  },
  '/floor': {
    nav: 'Floor',
    icon: IconMap2,
    group: 'Track',
    load: () => import('../areas/overview/floor/floor.tsx'),
  },
  '/assets': {
    nav: 'Assets',
    icon: IconBox,
    group: 'Track',
    load: () => import('../areas/assets/assets/assets.tsx'),
  },
  '/assets/$assetId': { load: () => import('../areas/assets/asset/asset.tsx') },
  '/imports': { load: () => import('../areas/assets/imports/imports.tsx') },
  '/imports/$importId': { load: () => import('../areas/assets/imports/import.tsx') },
  '/locations': {
    nav: 'Locations',
    icon: IconMapPin,
    group: 'Track',
    load: () => import('../areas/locations/locations/locations.tsx'),
  },
  '/locations/$locationId': { load: () => import('../areas/locations/location/location.tsx') },
  '/movements': {
    nav: 'Movements',
    icon: IconActivity,
    group: 'Track',
    load: () => import('../areas/movements/movements/movements.tsx'),
  },
  '/live': { load: () => import('../areas/movements/live/live.tsx') },
  '/alerts': {
    nav: 'Alerts',
    icon: IconBell,
    group: 'Track',
    load: () => import('../areas/alerts/alerts/alerts.tsx'),
  },
  '/alerts/$alertId': { load: () => import('../areas/alerts/alert/alert.tsx') },
  '/exports': {
    nav: 'Exports',
    icon: IconFileExport,
    group: 'Track',
    load: () => import('../areas/movements/exports/exports.tsx'),
  },
  '/exports/$exportId': { load: () => import('../areas/movements/exports/export.tsx') },
  '/inventory': {
    nav: 'Save inventory',
    icon: IconClipboardCheck,
    group: 'Track',
    load: () => import('../areas/inventory/inventory.tsx'),
  },
  '/unknown-tags': {
    nav: 'Unknown tags',
    icon: IconTagOff,
    group: 'Track',
    load: () => import('../areas/readers/unknown-tags/unknown-tags.tsx'),
  },
  '/rules': {
    nav: 'Rules',
    icon: IconBell,
    group: 'Track',
    load: () => import('../areas/rules/rules/rules.tsx'),
  },
  '/rules/$ruleId': { load: () => import('../areas/rules/rule/rule.tsx') },
  '/start': {
    nav: 'Getting started',
    icon: IconRocket,
    group: 'Set up',
    load: () => import('../areas/start/start.tsx'),
  },
  '/readers': {
    nav: 'Readers',
    icon: IconAntenna,
    group: 'Set up',
    load: () => import('../areas/readers/readers/readers.tsx'),
  },
  '/readers/$readerId': { load: () => import('../areas/readers/readers/reader.tsx') },
  '/positions': {
    nav: 'Positions',
    icon: IconAdjustments,
    group: 'Set up',
    load: () => import('../areas/organization/positions/positions.tsx'),
  },
  '/api-keys': {
    nav: 'API keys',
    icon: IconKey,
    group: 'Connect',
    load: () => import('../areas/organization/api-keys/api-keys.tsx'),
  },
  '/webhooks': {
    nav: 'Webhooks',
    icon: IconWebhook,
    group: 'Connect',
    load: () => import('../areas/webhooks/webhooks/webhooks.tsx'),
  },
  '/webhooks/$webhookId': { load: () => import('../areas/webhooks/webhooks/webhook.tsx') },
  '/events': {
    nav: 'Events',
    icon: IconTimelineEvent,
    group: 'Connect',
    load: () => import('../areas/webhooks/events/events.tsx'),
  },
  '/account': { load: () => import('../areas/organization/account/account.tsx') },
  '/limits': {
    nav: 'Limits',
    icon: IconGauge,
    group: 'Organization',
    load: () => import('../areas/organization/limits/limits.tsx'),
  },
  '/members': {
    nav: 'Members',
    icon: IconUsers,
    group: 'Organization',
    load: () => import('../areas/organization/members/members.tsx'),
  },
  '/audit': {
    nav: 'Audit',
    icon: IconHistory,
    group: 'Organization',
    load: () => import('../areas/organization/audit/audit.tsx'),
  },
  '/settings': {
    nav: 'Settings',
    icon: IconSettings,
    group: 'Organization',
    load: () => import('../areas/organization/settings/settings.tsx'),
  },
}

/** In the order of the menu. */
export const SCREENS: readonly ScreenEntry[] = SIGNED_IN_PATHS.map((path) =>
  Object.assign(BY_PATH[path], { path }),
)
