import type { OperationId } from '@whereabouts/contracts/routes'
import { choice, flag, freeForm, instant, listOf, naturalKey, text, type BodyRules } from './field-rules.ts'

const identifier = { type: choice('rfid', 'ble', 'barcode'), value: text(255, { lines: true }) }
const shared = {
  identifier: naturalKey(),
  name: text(255, { trimmed: true }),
  description: text(1024, { lines: true, nullable: true }),
  is_active: flag,
  identifiers: listOf(
    identifier,
    { type: 'rfid', value: 'x' },
    { max: 200, nullable: true, required: ['value'] },
  ),
  valid_from: instant({ window: true }),
  valid_to: instant({ window: true, nullable: true }),
}
const asset = {
  ...shared,
  type: choice('asset', 'person', 'inventory'),
  current_location: naturalKey(),
  metadata: freeForm,
}
const location = { ...shared, parent_identifier: naturalKey({ nullable: true }) }
const attaching: BodyRules = { good: { value: 'x' }, required: ['value'], fields: identifier }

/** The legacy description's rule for every field of every body. */
export const legacyBodyRules = {
  createLegacyAsset: { good: { name: 'Thing' }, required: ['name'], fields: asset },
  updateLegacyAsset: { good: {}, required: [], fields: asset },
  createLegacyLocation: {
    good: { identifier: 'A', name: 'Thing' },
    required: ['identifier', 'name'],
    fields: location,
  },
  updateLegacyLocation: { good: {}, required: [], fields: location },
  attachLegacyAssetTag: attaching,
  attachLegacyLocationTag: attaching,
  attachLegacyAssetIdentifier: attaching,
  attachLegacyLocationIdentifier: attaching,
} as const satisfies Partial<Record<OperationId, BodyRules>>
