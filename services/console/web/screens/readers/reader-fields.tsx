import { Autocomplete, Select, Text, Textarea, TextInput } from '@mantine/core'
import type { FieldMessages } from '../../parts/failure.ts'
import { FORMAT_CHOICES, FORMATS } from './formats.ts'
import { readMapping, type ReaderFields } from './reader-form-state.ts'

type Props = {
  fields: ReaderFields
  onChange: (fields: ReaderFields) => void
  messages: FieldMessages
  /** Whether to show the key: it cannot be changed later. */
  hasKey: boolean
}

/** Fields that show what the API says of them. */
export const SHOWN_FIELDS = ['reader_key', 'name', 'format', 'timezone', 'mapping'] as const

const ZONES = Intl.supportedValuesOf('timeZone')

/** The settings of a new or existing reader. */
export function ReaderInputs({ fields, onChange, messages, hasKey }: Props) {
  const set = (changed: Partial<ReaderFields>) => onChange({ ...fields, ...changed })
  const reading = readMapping(fields.mapping)
  return (
    <>
      {hasKey && (
        <TextInput
          label="Reader key"
          description="Letters, digits and hyphens. Part of the topic the device publishes to. Cannot be changed later."
          value={fields.reader_key}
          onChange={(event) => set({ reader_key: event.currentTarget.value })}
          error={messages['reader_key']}
          autoComplete="off"
          required
        />
      )}
      <TextInput
        label="Name"
        value={fields.name}
        onChange={(event) => set({ name: event.currentTarget.value })}
        error={messages['name']}
        autoComplete="off"
        required
      />
      <Select
        label="Format"
        description="The message format of the device."
        data={FORMAT_CHOICES}
        value={fields.format}
        onChange={(value) => set({ format: FORMATS.find((known) => known === value) ?? fields.format })}
        allowDeselect={false}
        error={messages['format']}
        required
      />
      <Autocomplete
        label="Device time zone"
        description="Only for devices that send local time. For example Asia/Singapore or +08:00."
        data={ZONES}
        limit={20}
        value={fields.timezone}
        onChange={(timezone) => set({ timezone })}
        error={messages['timezone']}
      />
      {(fields.format === 'mapping' || fields.mapping !== '') && (
        <>
          <Textarea
            label="Mapping"
            description="JSON with a JSON pointer to each value in a message."
            placeholder='{"reads": "", "tag": "/epc", "tag_type": "rfid", "antenna": "/ant"}'
            autosize
            minRows={4}
            maxRows={16}
            styles={{ input: { fontFamily: 'monospace' } }}
            value={fields.mapping}
            onChange={(event) => set({ mapping: event.currentTarget.value })}
            error={'problem' in reading ? reading.problem : messages['mapping']}
            required={fields.format === 'mapping'}
          />
          <Text size="xs" c="dimmed">
            reads, tag and tag_type are required. See docs/readers.md for all keys and an example.
          </Text>
        </>
      )}
    </>
  )
}
