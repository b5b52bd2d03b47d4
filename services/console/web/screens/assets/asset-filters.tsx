import { Checkbox, Group, NativeSelect } from '@mantine/core'
import { ASSET_TYPES } from './asset-values.ts'
import { SearchBox } from './search-box.tsx'

/** As they are in the address. */
export type AssetFilter = { q: string; type: string; active: string; deleted: string }

type Props = { filter: AssetFilter; onChange: (change: Partial<AssetFilter>) => void }

export function AssetFilters({ filter, onChange }: Props) {
  return (
    <Group align="flex-end" role="search">
      <SearchBox
        label="Search"
        placeholder="Name, key, description or tag"
        value={filter.q}
        onChange={(q) => onChange({ q })}
      />
      <NativeSelect
        label="Type"
        value={filter.type}
        onChange={(event) => onChange({ type: event.currentTarget.value })}
        data={[{ value: '', label: 'All types' }, ...ASSET_TYPES]}
      />
      <NativeSelect
        label="Active"
        value={filter.active}
        onChange={(event) => onChange({ active: event.currentTarget.value })}
        data={[
          { value: '', label: 'Active or not' },
          { value: 'true', label: 'Active' },
          { value: 'false', label: 'Not active' },
        ]}
      />
      <Checkbox
        label="Include deleted"
        checked={filter.deleted === 'true'}
        onChange={(event) => onChange({ deleted: event.currentTarget.checked ? 'true' : '' })}
        pb={8}
      />
    </Group>
  )
}
