import { Checkbox, Group, NativeSelect, Stack, Text } from '@mantine/core'
import { AsOfField } from './as-of.tsx'
import { SearchBox } from '../../../parts/table/search-box.tsx'
import { ASSET_TYPES } from './asset-fields.ts'
import { isByPlace, sortOf, type AssetFilter } from './by-place.ts'
import { LocationPicker } from '../../../parts/locations/location-picker.tsx'
import { useLocationView } from '../../../parts/locations/location-queries.ts'

/** As in the query string of the page. */
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

/** The report has these orders only. */
const PLACE_ORDERS = [
  { value: 'last_seen', label: 'Not seen for longest first' },
  { value: '-last_seen', label: 'Seen last first' },
  { value: 'external_key', label: 'External key' },
  { value: '-external_key', label: 'External key, last first' },
]

export function AssetFilters({ filter, onChange }: Props) {
  const isPlace = isByPlace(filter)
  return (
    <Stack gap={4}>
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
          disabled={isPlace}
          value={isPlace ? '' : filter.type}
          onChange={(event) => onChange({ type: event.currentTarget.value })}
          data={[{ value: '', label: 'All types' }, ...ASSET_TYPES]}
        />
        <NativeSelect
          label="Active"
          disabled={isPlace}
          value={isPlace ? '' : filter.active}
          onChange={(event) => onChange({ active: event.currentTarget.value })}
          data={[
            { value: '', label: 'All' },
            { value: 'true', label: 'Active' },
            { value: 'false', label: 'Inactive' },
          ]}
        />
        <NativeSelect
          label="Sort by"
          value={sortOf(filter)}
          onChange={(event) => onChange({ sort: event.currentTarget.value })}
          data={isPlace ? PLACE_ORDERS : ORDERS}
          hiddenFrom="sm"
        />
        <Checkbox
          label="Include deleted"
          checked={filter.deleted === 'true'}
          onChange={(event) => onChange({ deleted: event.currentTarget.checked ? 'true' : '' })}
          pb={8}
        />
      </Group>
      <Group align="flex-end" role="group" aria-label="Where and when seen">
        <LocationFilter filter={filter} onChange={onChange} />
        <NativeSelect
          label="Not seen for"
          value={filter.seen}
          onChange={(event) => onChange({ seen: event.currentTarget.value })}
          data={[
            { value: '', label: 'Any time' },
            { value: '1h', label: '1 hour' },
            { value: '24h', label: '24 hours' },
            { value: '7d', label: '7 days' },
          ]}
        />
        <Checkbox
          label="Misplaced"
          checked={filter.misplaced === 'true'}
          onChange={(event) => onChange({ misplaced: event.currentTarget.checked ? 'true' : '' })}
          pb={8}
        />
        <AsOfField at={filter.at} onChange={(at) => onChange({ at })} />
      </Group>
      {isPlace && (
        <Text size="sm" c="dimmed">
          {filter.at === ''
            ? 'Only assets that were seen. Type, Active and the export do not go with filters by place. To export these assets, choose a time with “As of”.'
            : 'Only assets that were seen until then. Type and Active do not go with “As of”. A file has up to 50,000 assets.'}
        </Text>
      )}
    </Stack>
  )
}

type Filter = Pick<AssetFilter, 'location' | 'inside'>
type LocationProps = { filter: Filter; onChange: (change: Partial<Filter>) => void }

/** Assets at a location and, unless switched off, its sub-locations. */
function LocationFilter({ filter: { location, inside }, onChange }: LocationProps) {
  const id = Number(location) || 0
  const { data = null } = useLocationView(id)
  return (
    <>
      <LocationPicker
        label="Location"
        value={id === 0 ? null : data}
        onChange={(picked) => onChange({ location: picked === null ? '' : String(picked.id) })}
      />
      {id !== 0 && (
        <Checkbox
          label="With sub-locations"
          checked={inside !== 'no'}
          onChange={(event) => onChange({ inside: event.currentTarget.checked ? '' : 'no' })}
          pb={8}
        />
      )}
    </>
  )
}
