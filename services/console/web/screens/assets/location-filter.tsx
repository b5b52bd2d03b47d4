import { Checkbox } from '@mantine/core'
import { LocationPicker } from '../../parts/location-picker.tsx'
import { useLocationView } from '../location/location-queries.ts'
import type { AssetFilter } from './by-place.ts'

type Filter = Pick<AssetFilter, 'location' | 'inside'>
type Props = { filter: Filter; onChange: (change: Partial<Filter>) => void }

/** Assets at a location and, unless switched off, its sub-locations. */
export function LocationFilter({ filter: { location, inside }, onChange }: Props) {
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
