import type { FieldEntry } from '@whereabouts/contracts/errors'
import type { AssetPatch, AssetView } from '@whereabouts/contracts/resources/catalog/assets'
import { mustReferToSameResource } from '@whereabouts/service-kit/errors/errors'

/** A home as views show it. That of a deleted location has no key. */
export type Home = Pick<AssetView, 'home_location_id' | 'home_location_external_key'>
export type SentHome = Pick<AssetPatch, keyof Home>

export const NO_HOME: Home = { home_location_id: null, home_location_external_key: null }

/** Live locations that requests name. */
export type Homes = { keys: ReadonlyMap<number, string>; ids: ReadonlyMap<string, number> }

export const NO_HOMES: Homes = { keys: new Map(), ids: new Map() }

/**
 * The home after a change, or its problems (D5.3, D21.1). What is sent as it is stored changes nothing, so a view can be sent
 * back after the home was deleted. If both are sent, the key is resolved first.
 */
export function homeAfter(stored: Home, sent: SentHome, homes: Homes): Home | FieldEntry[] {
  if (isSame(stored, sent)) return stored
  const { home_location_id: id, home_location_external_key: key } = sent
  if (typeof key === 'string') {
    if (id === null) return DIFFER
    const found = homes.ids.get(key)
    if (found === undefined) return notFound('home_location_external_key')
    return id === undefined || id === found ? homeOf(found, key) : DIFFER
  }
  if (typeof id !== 'number') return NO_HOME
  if (key === null) return DIFFER
  const found = homes.keys.get(id)
  return found === undefined ? notFound('home_location_id') : homeOf(id, found)
}

const isSame = (stored: Home, sent: SentHome) =>
  (['home_location_id', 'home_location_external_key'] as const).every(
    (name) => sent[name] === undefined || sent[name] === stored[name],
  )

const homeOf = (home_location_id: number, home_location_external_key: string): Home => ({
  home_location_id,
  home_location_external_key,
})

const DIFFER = mustReferToSameResource('home_location_id', 'home_location_external_key')

const notFound = (field: keyof Home): FieldEntry[] => [
  { field, code: 'fk_not_found', message: `${field} does not refer to a location` },
]
