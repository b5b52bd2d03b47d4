import { Checkbox, Group, Textarea, TextInput } from '@mantine/core'
import type { FieldMessages } from '../../parts/failure.ts'
import { LocationPicker } from '../../parts/location-picker.tsx'
import type { LocationDraft } from './location-draft.ts'

type Props = {
  draft: LocationDraft
  onChange: (change: Partial<LocationDraft>) => void
  /** Messages of the API. */
  fields: FieldMessages
  /** The location itself, which cannot be inside itself. Undefined for a new one. */
  self?: number
}

/** Fields that show the messages of the API themselves. */
export const SHOWN_FIELDS = ['name', 'external_key', 'parent_id', 'description', 'valid_from', 'valid_to']

export function LocationFields({ draft, onChange, fields, self }: Props) {
  return (
    <>
      <TextInput
        label="Name"
        value={draft.name}
        onChange={(event) => onChange({ name: event.currentTarget.value })}
        error={fields['name']}
        required
        data-autofocus
      />
      {self === undefined && (
        <TextInput
          label="External key"
          description="Letters, digits and hyphens. The next free LOC-NNN when left empty."
          value={draft.externalKey}
          onChange={(event) => onChange({ externalKey: event.currentTarget.value })}
          error={fields['external_key']}
          spellCheck={false}
        />
      )}
      <LocationPicker
        label="Inside"
        description="A location without one is at the top."
        value={draft.parent}
        onChange={(parent) => onChange({ parent })}
        error={fields['parent_id']}
        exclude={self}
      />
      <Textarea
        label="Description"
        value={draft.description}
        onChange={(event) => onChange({ description: event.currentTarget.value })}
        error={fields['description']}
        autosize
      />
      <Group grow align="flex-start">
        <TextInput
          type="datetime-local"
          label="Valid from"
          value={draft.validFrom}
          onChange={(event) => onChange({ validFrom: event.currentTarget.value })}
          error={fields['valid_from']}
        />
        <TextInput
          type="datetime-local"
          label="Valid to"
          value={draft.validTo}
          onChange={(event) => onChange({ validTo: event.currentTarget.value })}
          error={fields['valid_to']}
        />
      </Group>
      <Checkbox
        label="Active"
        checked={draft.isActive}
        onChange={(event) => onChange({ isActive: event.currentTarget.checked })}
      />
    </>
  )
}
