import type { components } from '@whereabouts/client/client'
import { choice, key, longChoice, optionalJson, text, timeZone } from '../../../parts/form/field-kinds.tsx'
import type { Fields } from '../../../parts/form/fields.ts'
import { FORMAT_CHOICES } from '../../connect/formats.ts'

export type Reader = components['schemas']['Reader']
/** Discovered readers have neither; they are not edited. */
type Configured = Reader & { name: string; format: string }

/** The settings of a reader in forms. A new setting needs only an entry here. */
export const READER_FIELDS: Fields<Configured, keyof components['schemas']['ReaderCreate']> = {
  reader_key: {
    label: 'Reader key',
    kind: key,
    help: 'Letters, digits and hyphens. Part of the topic to which the device sends. Cannot be changed later.',
    isRequired: true,
    isCreateOnly: true,
  },
  name: { label: 'Name', kind: text, isRequired: true },
  format: {
    label: 'Kind of reader',
    kind: longChoice(FORMAT_CHOICES),
    help: 'Decides how its messages are understood.',
    isRequired: true,
  },
  timezone: {
    label: 'Device time zone',
    kind: timeZone,
    help: 'Only for devices that send local time. For example Asia/Singapore or +08:00.',
  },
  time_source: {
    label: 'Time that counts',
    kind: choice([
      { value: 'reader', label: 'The time of the device' },
      { value: 'receipt', label: 'The time of receipt' },
    ]),
    help: 'The time of receipt is for devices whose clock cannot be set.',
  },
  mapping: {
    label: 'Mapping',
    kind: optionalJson(),
    help: 'JSON with a JSON pointer to each value in a message. It needs reads, and tag with tag_type, or beacon for iBeacons. See /docs/readers/mapping for all keys and an example.',
    isVisible: ({ format, mapping }) => format === 'mapping' || mapping !== '',
  },
}
