import { Group, NativeSelect, Switch, Textarea, TextInput } from '@mantine/core'
import type { ReactNode } from 'react'
import type { FieldMessages } from '../../parts/failure.ts'
import { ASSET_TYPES, type AssetValues } from './asset-values.ts'

type Props = {
  values: AssetValues
  onChange: (change: Partial<AssetValues>) => void
  errors: FieldMessages
  /** Further inputs, behind those that nearly everybody fills in. */
  children?: ReactNode
}

/** Show their messages themselves. */
export const ASSET_FIELDS = ['name', 'description', 'type', 'is_active', 'valid_from', 'valid_to', 'metadata']

/** The inputs of what an asset is, but for its key and its tags, which are changed by other ways. */
export function AssetFields({ values, onChange, errors, children }: Props) {
  return (
    <>
      <TextInput
        label="Name"
        value={values.name}
        onChange={(event) => onChange({ name: event.currentTarget.value })}
        error={errors['name']}
        required
        data-autofocus
      />
      <Group grow align="flex-start">
        <NativeSelect
          label="Type"
          data={ASSET_TYPES.map(({ value, label }) => ({ value, label }))}
          value={values.type}
          onChange={(event) => {
            const type = ASSET_TYPES.find(({ value }) => value === event.currentTarget.value)
            if (type) onChange({ type: type.value })
          }}
          error={errors['type']}
        />
        <Switch
          label="Active"
          description="A mark of yours: it hides nothing"
          checked={values.is_active}
          onChange={(event) => onChange({ is_active: event.currentTarget.checked })}
          error={errors['is_active']}
          mt={26}
        />
      </Group>
      {children}
      <Textarea
        label="Description"
        value={values.description}
        onChange={(event) => onChange({ description: event.currentTarget.value })}
        error={errors['description']}
        autosize
        minRows={2}
        maxRows={6}
      />
      <Group grow align="flex-start">
        <TextInput
          label="Valid from"
          type="datetime-local"
          value={values.valid_from}
          onChange={(event) => onChange({ valid_from: event.currentTarget.value })}
          error={errors['valid_from']}
        />
        <TextInput
          label="Valid to"
          type="datetime-local"
          value={values.valid_to}
          onChange={(event) => onChange({ valid_to: event.currentTarget.value })}
          error={errors['valid_to']}
        />
      </Group>
      <Textarea
        label="Metadata"
        description="Anything of your own, as a JSON object"
        value={values.metadata}
        onChange={(event) => onChange({ metadata: event.currentTarget.value })}
        error={errors['metadata']}
        styles={{ input: { fontFamily: 'monospace' } }}
        spellCheck={false}
        autosize
        minRows={2}
        maxRows={12}
      />
    </>
  )
}
