import type { Placement, PlacementChange } from './use-placement.ts'

/** What every organization begins with: the first read of a minute decides. */
export const DEFAULTS = {
  passages: 'next_observation',
  margin_db: 0,
  exit_delay_seconds: 0,
  min_rssi_dbm: null,
} as const satisfies PlacementChange

/** Ways in which readers stand, and the settings for each. */
export const PRESETS = [
  {
    name: 'rooms',
    label: 'Rooms with Bluetooth gateways',
    meaning: 'Neighbors hear each beacon. An asset stays until another room is clearly stronger.',
    settings: { margin_db: 6, exit_delay_seconds: 120 },
  },
  {
    name: 'gates',
    label: 'Gates and portals',
    meaning: 'Assets pass several in a minute, and are then not read for a while. The last one counts.',
    settings: { passages: 'carry' },
  },
  {
    name: 'handhelds',
    label: 'Handhelds',
    meaning: 'A person reads where the asset is. No setting is needed: the first read of a minute decides.',
    settings: {},
  },
] as const satisfies readonly { name: string; label: string; meaning: string; settings: PlacementChange }[]

export type PresetName = (typeof PRESETS)[number]['name']

/** The settings for readers that stand in all of these ways. */
export const settingsOf = (names: readonly PresetName[]): PlacementChange =>
  Object.assign({}, ...PRESETS.filter(({ name }) => names.includes(name)).map(({ settings }) => settings))

/** Whether nothing is set. The types of tags have no effect alone. */
export const isDefault = (placement: Placement): boolean =>
  Object.entries(DEFAULTS).every(([key, value]) => placement[key as keyof typeof DEFAULTS] === value)
