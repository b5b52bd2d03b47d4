import { Group, Select, TextInput } from '@mantine/core'
import { useSearchText } from '../../parts/use-search-text.ts'
import type { ReaderFilter } from './use-readers.ts'

type Props = { filter: ReaderFilter; onChange: (change: Partial<ReaderFilter>) => void }

const KINDS = [
  { value: 'true', label: 'Configured' },
  { value: 'false', label: 'Discovered' },
]
const STATUSES = [
  { value: 'online', label: 'Online' },
  { value: 'silent', label: 'Silent' },
  { value: 'never_heard', label: 'No messages yet' },
]

export function ReaderFilters({ filter, onChange }: Props) {
  const [q, setQ] = useSearchText(filter.q, (text) => onChange({ q: text, offset: '0' }))
  return (
    <Group align="flex-end" gap="sm">
      <TextInput
        label="Search"
        placeholder="Key, name or device ID"
        value={q}
        onChange={(event) => setQ(event.currentTarget.value)}
      />
      <Select
        label="Kind"
        placeholder="All"
        data={KINDS}
        clearable
        clearButtonProps={{ 'aria-label': 'Clear kind' }}
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
        w={150}
      />
    </Group>
  )
}
