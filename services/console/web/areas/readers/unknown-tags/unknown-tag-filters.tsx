import { Group, Select } from '@mantine/core'
import { SearchBox } from '../../../parts/table/search-box.tsx'
import { TAG_TYPE_CHOICES } from '../../../parts/things/tag-types.ts'
import type { UnknownTagFilter } from './use-unknown-tags.ts'

type Props = { filter: UnknownTagFilter; onChange: (change: Partial<UnknownTagFilter>) => void }

/** Most Bluetooth tags are unknown: the filters find the one that was just held in front of a reader. */
export function UnknownTagFilters({ filter, onChange }: Props) {
  return (
    <Group align="flex-end" gap="sm">
      <SearchBox
        label="Search"
        placeholder="Part of the value"
        value={filter.q}
        onChange={(q) => onChange({ q, offset: '0' })}
      />
      <Select
        label="Type"
        placeholder="All"
        data={TAG_TYPE_CHOICES}
        clearable
        clearButtonProps={{ 'aria-label': 'Clear type' }}
        value={filter.type === '' ? null : filter.type}
        onChange={(chosen) => onChange({ type: chosen ?? '', offset: '0' })}
        w={150}
      />
      <SearchBox
        label="Reader"
        placeholder="Full reader key"
        value={filter.reader}
        onChange={(reader) => onChange({ reader, offset: '0' })}
        w={170}
      />
      <SearchBox
        label="Minimum reads"
        inputMode="numeric"
        clean={(typed) => typed.replaceAll(/\D/g, '')}
        value={filter.reads}
        onChange={(reads) => onChange({ reads, offset: '0' })}
        w={120}
      />
    </Group>
  )
}
