import { Group, Select } from '@mantine/core'
import { SearchBox } from '../../../parts/table/search-box.tsx'
import type { ReaderFilter } from '../../../parts/readers/use-readers.ts'

type Props = { filter: ReaderFilter; onChange: (change: Partial<ReaderFilter>) => void }

const KINDS = [
  { value: 'true', label: 'Set up' },
  { value: 'false', label: 'Discovered' },
]
const STATUSES = [
  { value: 'online', label: 'Online' },
  { value: 'degraded', label: 'Degraded, with problems' },
  { value: 'silent', label: 'Silent' },
  { value: 'never_heard', label: 'No messages yet' },
  { value: 'quiet', label: 'Silent or none yet' },
]

export function ReaderFilters({ filter, onChange }: Props) {
  return (
    <Group align="flex-end" gap="sm">
      <SearchBox
        label="Search"
        placeholder="Key, name or device ID"
        value={filter.q}
        onChange={(q) => onChange({ q, offset: '0' })}
      />
      <Select
        label="Show"
        placeholder="All"
        data={KINDS}
        clearable
        clearButtonProps={{ 'aria-label': 'Show all readers' }}
        value={filter.kind === '' ? null : filter.kind}
        onChange={(kind) => onChange({ kind: kind ?? '', offset: '0' })}
        w={150}
      />
      <Select
        label="Status"
        placeholder="All"
        data={STATUSES}
        clearable
        clearButtonProps={{ 'aria-label': 'Clear status' }}
        value={filter.status === '' ? null : filter.status}
        onChange={(status) => onChange({ status: status ?? '', offset: '0' })}
        w={210}
      />
    </Group>
  )
}
