import { Group, Select, TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { useState } from 'react'
import type { UnknownTagFilter } from './use-unknown-tags.ts'

type Props = { filter: UnknownTagFilter; onChange: (change: Partial<UnknownTagFilter>) => void }

const TYPING_MS = 250
const TYPES = [
  { value: 'rfid', label: 'RFID' },
  { value: 'ble', label: 'Bluetooth' },
  { value: 'barcode', label: 'Barcode' },
]

/** Most Bluetooth tags are unknown: the filters find the one that was just held in front of a reader. */
export function UnknownTagFilters({ filter, onChange }: Props) {
  const [typed, setTyped] = useState({ q: filter.q, reader: filter.reader, reads: filter.reads })
  const search = useDebouncedCallback(
    (change: Partial<UnknownTagFilter>) => onChange({ ...change, offset: '0' }),
    TYPING_MS,
  )
  const type = (change: Partial<typeof typed>) => {
    const next = { ...typed, ...change }
    setTyped(next)
    search(next)
  }
  return (
    <Group align="flex-end" gap="sm">
      <TextInput
        label="Search"
        placeholder="Part of the value"
        value={typed.q}
        onChange={(event) => type({ q: event.currentTarget.value })}
      />
      <Select
        label="Type"
        placeholder="All"
        data={TYPES}
        clearable
        clearButtonProps={{ 'aria-label': 'Clear type' }}
        value={filter.type === '' ? null : filter.type}
        onChange={(chosen) => onChange({ type: chosen ?? '', offset: '0' })}
        w={150}
      />
      <TextInput
        label="Reader"
        placeholder="Full reader key"
        value={typed.reader}
        onChange={(event) => type({ reader: event.currentTarget.value })}
        w={170}
      />
      <TextInput
        label="Minimum reads"
        inputMode="numeric"
        value={typed.reads}
        onChange={(event) => type({ reads: event.currentTarget.value.replaceAll(/\D/g, '') })}
        w={120}
      />
    </Group>
  )
}
