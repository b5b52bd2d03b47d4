import { Autocomplete, Select, Text, Textarea, TextInput } from '@mantine/core'
import type { FieldMessages } from '../../parts/failure.ts'
import { FORMAT_CHOICES, FORMATS } from './formats.ts'
import { readMapping, type ReaderFields } from './reader-form-state.ts'

type Props = {
  fields: ReaderFields
  onChange: (fields: ReaderFields) => void
  messages: FieldMessages
  /** The key of a reader that is configured stays. */
  hasKey: boolean
}

/** Fields that show what the API says of them. */
export const SHOWN_FIELDS = ['reader_key', 'name', 'format', 'timezone', 'mapping'] as const

const ZONES = Intl.supportedValuesOf('timeZone')

/** What a reader is made of, new or old. */
export function ReaderInputs({ fields, onChange, messages, hasKey }: Props) {
  const set = (changed: Partial<ReaderFields>) => onChange({ ...fields, ...changed })
  const reading = readMapping(fields.mapping)
  return (
    <>
      {hasKey && (
        <TextInput
          label="Key"
          description="Letters, digits and hyphens. It stands in the topic the device publishes to and stays as it is."
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
        description="What the device sends."
        data={FORMAT_CHOICES}
        value={fields.format}
        onChange={(value) => set({ format: FORMATS.find((known) => known === value) ?? fields.format })}
        allowDeselect={false}
        error={messages['format']}
        required
      />
      <Autocomplete
        label="Time zone of the device"
        description="Only for devices that tell wall time, like Asia/Singapore or +08:00."
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
            description="JSON: where in a message everything stands, as JSON pointers."
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
            Needed are reads, tag and tag_type. The guide for readers, docs/readers.md, has all keys and an
            example.
          </Text>
        </>
      )}
    </>
  )
}
