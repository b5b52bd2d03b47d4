import { Checkbox, Group, NativeSelect } from '@mantine/core'
import { SearchBox } from '../../parts/search-box.tsx'
import { ASSET_TYPES } from './asset-fields.ts'

/** As in the query string of the page. */
export type AssetFilter = { q: string; type: string; active: string; deleted: string }

type Props = {
  filter: AssetFilter & { sort: string }
  onChange: (change: Partial<AssetFilter & { sort: string }>) => void
}

/** For phones, where the table has no headings. */
const ORDERS = [
  { value: 'name', label: 'Name' },
  { value: '-name', label: 'Name, Z first' },
  { value: 'external_key', label: 'External key' },
  { value: '-external_key', label: 'External key, last first' },
  { value: '-created_at', label: 'Newest first' },
  { value: 'created_at', label: 'Oldest first' },
]

export function AssetFilters({ filter, onChange }: Props) {
  return (
    <Group align="flex-end" role="search">
      <SearchBox
        label="Search"
        placeholder="Name, key, description or tag"
        value={filter.q}
        onChange={(q) => onChange({ q })}
        style={{ flex: '1 1 240px' }}
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
          { value: '', label: 'All' },
          { value: 'true', label: 'Active' },
          { value: 'false', label: 'Inactive' },
        ]}
      />
      <NativeSelect
        label="Sort by"
        value={filter.sort}
        onChange={(event) => onChange({ sort: event.currentTarget.value })}
        data={ORDERS}
        hiddenFrom="sm"
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
