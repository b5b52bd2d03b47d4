import type { TablerIcon } from '@tabler/icons-react'
import IconAntenna from '@tabler/icons-react/icons/IconAntenna'
import IconClipboardCheck from '@tabler/icons-react/icons/IconClipboardCheck'
import IconMapPin from '@tabler/icons-react/icons/IconMapPin'
import IconPlus from '@tabler/icons-react/icons/IconPlus'
import IconSettings from '@tabler/icons-react/icons/IconSettings'
import type { components } from '@whereabouts/client/client'
import { assetTypeOf } from '../../parts/things/asset-types.ts'
import type { Visit } from '../../parts/page/visits.ts'
import type { Dialog } from '../../parts/load/wanted.ts'
import { SCREENS } from '../../shell/screens.ts'
import { compared, contains } from '../../parts/table/compared.ts'
import { shownValue } from '../../parts/things/tag-values.ts'

type Schemas = components['schemas']

export type Found = {
  /** What the text is exactly the tag or the key of. */
  named: readonly Schemas['LookupMatch'][]
  assets: readonly Pick<Schemas['Asset'], 'id' | 'name' | 'external_key' | 'type'>[]
  locations: readonly Pick<Schemas['Location'], 'id' | 'name' | 'external_key'>[]
  readers: readonly Pick<Schemas['Reader'], 'id' | 'name' | 'reader_key'>[]
}

export const NOTHING: Found = { named: [], assets: [], locations: [], readers: [] }

/** One line of the finder. */
export type Hit = {
  key: string
  label: string
  hint?: string
  icon: TablerIcon
  color?: string
  to: string
  dialog?: Dialog
}
/** Screens and actions are known here, before the API has answered. */
export const isOwn = ({ key }: Hit): boolean => !/^(?:asset|location|reader)-/.test(key)

export type Group = { label: string; hits: readonly Hit[] }

type Thing = { id: number; name: string; hint?: string; type?: string }

function hitOf(kind: Visit['kind'], { id, name, hint, type }: Thing): Hit {
  const at = { key: `${kind}-${id}`, label: name, hint, to: `/${kind}s/${id}` }
  if (kind === 'location') return { ...at, icon: IconMapPin }
  if (kind === 'reader') return { ...at, icon: IconAntenna }
  const { icon, color } = assetTypeOf(type ?? 'asset')
  return { ...at, icon, color: `var(${color})` }
}

type Action = Hit & { isForAdmins?: boolean }
/** What the person may do. */
type Rights = { isAdmin: boolean; canWrite: boolean }

const ACTIONS: readonly Action[] = [
  { key: 'action-new-asset', label: 'New asset', icon: IconPlus, to: '/assets', dialog: 'new-asset' },
  {
    key: 'action-new-location',
    label: 'New location',
    icon: IconPlus,
    to: '/locations',
    dialog: 'new-location',
  },
  { key: 'action-new-rule', label: 'New rule', icon: IconPlus, to: '/rules/new' },
  { key: 'action-save-inventory', label: 'Save inventory', icon: IconClipboardCheck, to: '/inventory' },
  {
    key: 'action-import-assets-or-locations',
    label: 'Import assets or locations',
    icon: IconPlus,
    to: '/imports',
  },
  {
    key: 'action-add-reader',
    label: 'Add reader',
    icon: IconPlus,
    to: '/readers',
    dialog: 'add-reader',
    isForAdmins: true,
  },
  {
    key: 'action-invite-a-member',
    label: 'Invite a member',
    icon: IconPlus,
    to: '/members',
    dialog: 'invite',
    isForAdmins: true,
  },
  {
    key: 'action-new-api-key',
    label: 'New API key',
    icon: IconPlus,
    to: '/api-keys',
    dialog: 'new-key',
    isForAdmins: true,
  },
]

const PLACES: readonly Hit[] = [
  ...SCREENS.flatMap(({ path, nav, icon }) =>
    nav === undefined || icon === undefined || path === '/inventory'
      ? []
      : [{ key: path, label: nav, icon, to: path }],
  ),
  { key: '/account', label: 'Account', icon: IconSettings, to: '/account' },
]

const actionsFor = ({ isAdmin, canWrite }: Rights): readonly Hit[] =>
  ACTIONS.filter(({ isForAdmins }) => isAdmin || (canWrite && isForAdmins !== true))

/** Each word of the text begins a word of the label. */
function matches({ label }: Hit, text: string): boolean {
  const words = compared(label).split(/\s+/u)
  return compared(text)
    .split(/\s+/u)
    .every((part) => words.some((word) => word.startsWith(part)))
}

const EXACT = 'Exactly this'
export const isExact = ({ label }: Group): boolean => label === EXACT

type Known = { text: string; found: Found; visits: readonly Visit[]; rights: Rights }

/** What the finder shows, in this order: what the text names exactly, what was opened last, and what contains it. */
export function groupsOf({ text, found, visits, rights }: Known): readonly Group[] {
  const recent = visits.filter(({ name }) => contains(name, text)).map((visit) => hitOf(visit.kind, visit))
  const local = [
    { label: 'Actions', hits: actionsFor(rights).filter((hit) => matches(hit, text)) },
    { label: 'Screens', hits: PLACES.filter((hit) => matches(hit, text)) },
  ]
  const named = found.named.flatMap((match) => {
    const { type: kind, tag, external_key: key } = match
    if (kind !== 'asset' && kind !== 'location') return [] // a later API may find more
    const type = found.assets.find(({ id }) => id === match.id)?.type
    return [hitOf(kind, { ...match, type, hint: tag === null ? key : `Tag ${shownValue(tag.value)}` })]
  })
  const things = [
    { label: EXACT, hits: named },
    { label: 'Recent', hits: recent },
    {
      label: 'Assets',
      hits: found.assets.map((asset) => hitOf('asset', { ...asset, hint: asset.external_key })),
    },
    {
      label: 'Locations',
      hits: found.locations.map((place) => hitOf('location', { ...place, hint: place.external_key })),
    },
    {
      label: 'Readers',
      hits: found.readers.flatMap(({ id, name, reader_key: hint }) =>
        id === null || name === null ? [] : [hitOf('reader', { id, name, hint })],
      ),
    },
  ]
  return once([...things, ...local])
}

/** Each thing only in the first group that has it, and no empty groups. */
function once(groups: readonly Group[]): readonly Group[] {
  const seen = new Set<string>()
  return groups
    .map(({ label, hits }) => ({
      label,
      hits: hits.filter(({ key }) => !seen.has(key) && seen.add(key)),
    }))
    .filter(({ hits }) => hits.length > 0)
}
