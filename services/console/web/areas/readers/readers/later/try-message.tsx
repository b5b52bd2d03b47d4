import { JsonInput, Select, Stack, Text, Textarea, TextInput, Title } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import type { components } from '@whereabouts/client/client'
import { useState } from 'react'
import { type Column, DataTable } from '../../../../parts/table/data-table.tsx'
import { FailureNotice } from '../../../../parts/load/failure-notice.tsx'
import { FormModal } from '../../../../parts/form/form-modal.tsx'
import { SendForm } from '../../../../parts/form/send-form.tsx'
import { useSend } from '../../../../parts/form/use-send.ts'
import { api } from '../../../../session/api.ts'
import { useSession } from '../../../../session/use-session.ts'
import { When } from '../../../../parts/time/when.tsx'
import { FORMAT_CHOICES, type ReaderFormat } from '../../../connect/formats.ts'
import { signalText } from '../../../connect/health-text.ts'
import { BeaconLine } from '../../unknown-tags/beacon-line.tsx'
import { ProblemList } from '../problems/problem-list.tsx'
import type { Reader } from '../reader-fields.ts'
import { type DecodedRead, useDecoded, useReaderPresets } from '../problems/use-reader-messages.ts'
import { shownValue } from '../../../../parts/things/tag-values.ts'

export type TryMessageProps = {
  id: number
  reader: Reader
  /** The message and its format when the dialog opens. */
  first: { message: string; format: string; topic?: string }
  onClose: () => void
}

const TYPING_MS = 400

/**
 * Shows what would become of a message, while a person types the message or the mapping. Nothing is stored but the format
 * and the mapping, if an administrator saves them.
 */
export default function TryMessage({ id, reader, first, onClose }: TryMessageProps) {
  const { isAdmin } = useSession()
  const [message, setMessage] = useState(first.message)
  const [format, setFormat] = useState(formatOf(first.format) ?? 'canonical')
  const [mapping, setMapping] = useState(reader.mapping ? JSON.stringify(reader.mapping, null, 2) : EXAMPLE)
  const [topic, setTopic] = useState(first.topic ?? '')
  const parsed = format === 'mapping' ? parse(mapping) : { value: null }
  const save = useSend(
    (body: components['schemas']['ReaderUpdate']) =>
      api.patch('/api/v1/readers/{reader_id}', { path: { reader_id: id }, body }),
    { reload: [['readers'], ['reader', id]], onDone: onClose },
  )
  const isChanged =
    format !== reader.format || (format === 'mapping' && !isSame(parsed.value, reader.mapping))
  const fields = (
    <>
      <Text size="sm">
        Paste a message of the device. This shows what would become of it. Nothing is stored.
      </Text>
      <Textarea
        label="Message"
        autosize
        minRows={4}
        maxRows={12}
        value={message}
        onChange={(event) => setMessage(event.currentTarget.value)}
        styles={MONOSPACE}
        spellCheck={false}
        data-autofocus
      />
      <Select
        label="Kind of reader"
        data={FORMAT_CHOICES}
        value={format}
        onChange={(chosen) => setFormat(formatOf(chosen ?? '') ?? format)}
        allowDeselect={false}
      />
      {format === 'mapping' && (
        <PresetPicker onPick={(picked) => setMapping(JSON.stringify(picked, null, 2))} />
      )}
      {format === 'mapping' && mapping.includes('$topic') && (
        <TextInput
          label="Topic after the format"
          description="The levels that the device adds to the topic, for example AC233FA1B2C3/C82F1A2B3C4D."
          value={topic}
          onChange={(event) => setTopic(event.currentTarget.value)}
          spellCheck={false}
        />
      )}
      {format === 'mapping' && (
        <JsonInput
          label="Mapping"
          description="JSON with a JSON pointer to each value in the message: reads, and tag with tag_type, or beacon for iBeacons. See /docs/readers/mapping for all keys."
          autosize
          minRows={4}
          maxRows={16}
          value={mapping}
          onChange={setMapping}
          error={parsed.problem}
          styles={MONOSPACE}
          spellCheck={false}
        />
      )}
      {parsed.problem === undefined && (
        <Outcome id={id} message={message} format={format} mapping={parsed.value} topic={topic} />
      )}
    </>
  )
  return (
    <FormModal opened onClose={onClose} title="Try a message" size="xl">
      {isAdmin ? (
        <SendForm
          send={save}
          label="Save for this reader"
          isDisabled={!isChanged || parsed.problem !== undefined}
          onSubmit={() => save.send(format === 'mapping' ? { format, mapping: parsed.value } : { format })}
          onCancel={onClose}
        >
          {fields}
        </SendForm>
      ) : (
        <Stack gap="sm">{fields}</Stack>
      )}
    </FormModal>
  )
}

/** Fills the mapping for a known device or program. */
function PresetPicker({ onPick }: { onPick: (mapping: object) => void }) {
  const { data: presets = [] } = useReaderPresets()
  const [id, setId] = useState<string | null>(null)
  const chosen = presets.find((preset) => preset.id === id)
  return (
    <Select
      label="Start from"
      placeholder="A known device or program"
      description={chosen?.devices}
      inputWrapperOrder={['label', 'input', 'description']}
      data={presets.map((preset) => ({ value: preset.id, label: preset.name }))}
      value={id}
      onChange={(picked) => {
        setId(picked)
        const preset = presets.find((one) => one.id === picked)
        if (preset) onPick(preset.mapping)
      }}
      searchable
    />
  )
}

type Mapping = components['schemas']['ReaderMappingCreate']
type Tried = { id: number; message: string; format: ReaderFormat; mapping: Mapping | null; topic: string }

function Outcome({ id, message, format, mapping, topic }: Tried) {
  const typed = JSON.stringify({ message, format, ...(mapping && { mapping, topic }) })
  const [settled] = useDebouncedValue(typed, TYPING_MS)
  const decoded = useDecoded(id, JSON.parse(settled) as Tried)
  if (message.trim() === '') return null
  if (decoded.error) return <FailureNotice error={decoded.error} />
  if (!decoded.data) return null
  const { reads, problems } = decoded.data
  return (
    <Stack gap="xs" role="status" aria-label="What would become of it">
      <Title order={3} size="h6">
        {reads.length === 0 ? 'No reads' : reads.length === 1 ? '1 read' : `${reads.length} reads`}
      </Title>
      {reads.length > 0 && (
        <DataTable
          label="Reads"
          columns={READS}
          rows={reads.map((read, index): NumberedRead => [index, read])}
          rowKey={([index]) => index}
          maxHeight={320}
        />
      )}
      {problems.length > 0 && (
        <>
          <Title order={3} size="h6">
            {problems.length === 1 ? '1 problem' : `${problems.length} problems`}
          </Title>
          <ProblemList problems={problems} />
        </>
      )}
    </Stack>
  )
}

type NumberedRead = [index: number, read: DecodedRead]

const READS: readonly Column<NumberedRead>[] = [
  {
    label: 'Tag',
    role: 'title',
    cell: ([, { tag, ibeacon }]) => (
      <>
        <span style={{ overflowWrap: 'anywhere' }}>{shownValue(tag.value)}</span>
        <BeaconLine value={tag.value} ibeacon={ibeacon} />
      </>
    ),
  },
  { label: 'Antenna', align: 'right', width: 80, cell: ([, { antenna }]) => antenna ?? '–' },
  { label: 'Signal', align: 'right', width: 100, cell: ([, { rssi }]) => signalText(rssi) },
  {
    label: 'Time of the device',
    width: 150,
    cell: ([, { read_at: at }]) => (at === null ? '–' : <When at={at} />),
  },
  { label: 'Outcome', cell: ([, read]) => outcomeText(read) },
]

/** A newer API may have more outcomes. */
function outcomeText({ outcome, asset, location, location_key: key }: DecodedRead): string {
  const name = asset?.name ?? 'The asset'
  const texts: Readonly<Record<string, string>> = {
    scan: `${name} is seen at ${location?.name ?? ''}.`,
    no_location: `${name} is seen, but the antenna has no location.`,
    unknown_tag: 'No asset has this tag.',
    no_scan_point: 'The antenna has no scan point, or its location is deleted.',
    unknown_location: `No location has the key ${key ?? ''}.`,
  }
  return texts[outcome] ?? outcome
}

const MONOSPACE = { input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: 13 } }

const EXAMPLE = JSON.stringify({ reads: '/reads', tag: '/epc', tag_type: 'rfid' }, null, 2)

const formatOf = (name: string): ReaderFormat | undefined =>
  FORMAT_CHOICES.find(({ value }) => value === name)?.value

const isSame = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b)

/** The mapping, or what is wrong with its JSON. The API checks the rest. */
function parse(text: string): { value: Mapping | null; problem?: string } {
  try {
    return { value: JSON.parse(text) as Mapping }
  } catch (error) {
    return {
      value: null,
      problem: `Not valid JSON: ${error instanceof Error ? error.message : String(error)}`,
    }
  }
}
