import type { components } from '@whereabouts/client/client'
import type { PickedLocation } from '../../parts/location-picker.tsx'
import { fromLocalInput, toLocalInput } from '../../parts/local-time.ts'

export type Location = components['schemas']['Location']

/** What a person edits of a location. */
export type LocationDraft = {
  name: string
  externalKey: string
  description: string
  parent: PickedLocation | null
  isActive: boolean
  validFrom: string
  validTo: string
}

export const emptyDraft = (parent: PickedLocation | null): LocationDraft => ({
  name: '',
  externalKey: '',
  description: '',
  parent,
  isActive: true,
  validFrom: '',
  validTo: '',
})

export const draftOf = (location: Location, parent: PickedLocation | null): LocationDraft => ({
  name: location.name,
  externalKey: location.external_key,
  description: location.description ?? '',
  parent,
  isActive: location.is_active,
  validFrom: toLocalInput(location.valid_from),
  validTo: toLocalInput(location.valid_to),
})

/** Left out is what the API chooses by itself. */
export function createBody(draft: LocationDraft): components['schemas']['LocationCreate'] {
  const validFrom = fromLocalInput(draft.validFrom)
  return {
    name: draft.name,
    is_active: draft.isActive,
    ...(draft.externalKey !== '' && { external_key: draft.externalKey }),
    ...(draft.description !== '' && { description: draft.description }),
    ...(draft.parent && { parent_id: draft.parent.id }),
    ...(validFrom !== null && { valid_from: validFrom }),
    valid_to: fromLocalInput(draft.validTo),
  }
}

/**
 * Only what was changed: fields that somebody else changes meanwhile keep what they have. An input shows minutes, so
 * that an instant that was not touched is not sent.
 */
export function patchBody(
  before: LocationDraft,
  after: LocationDraft,
): components['schemas']['LocationPatch'] {
  const validFrom = fromLocalInput(after.validFrom)
  return {
    ...(after.name !== before.name && { name: after.name }),
    ...(after.description !== before.description && { description: after.description || null }),
    ...(after.parent?.id !== before.parent?.id && { parent_id: after.parent?.id ?? null }),
    ...(after.isActive !== before.isActive && { is_active: after.isActive }),
    ...(after.validFrom !== before.validFrom && validFrom !== null && { valid_from: validFrom }),
    ...(after.validTo !== before.validTo && { valid_to: fromLocalInput(after.validTo) }),
  }
}
