import { Checkbox, Group, SegmentedControl, Switch, TextInput } from '@mantine/core'
import { AssetPicker } from '../../../parts/form/asset-picker.tsx'
import { assetTypeOf } from '../../../parts/things/asset-types.ts'
import { LocationPicker } from '../../../parts/locations/location-picker.tsx'
import { SPANS, TYPES, type Filter } from './filter.ts'
import { usePicked } from '../../../parts/load/use-picked.ts'

type Props = { filter: Filter; onChange: (change: Partial<Filter>) => void }

export function MovementFilters({ filter, onChange }: Props) {
  const location = usePicked('locations', filter.location)
  const asset = usePicked('assets', filter.asset)
  return (
    <Group align="flex-end">
      <SegmentedControl
        aria-label="Time"
        data={SPANS.map(({ value, label }) => ({ value, label }))}
        value={filter.span}
        onChange={(span) => onChange({ span, whole: '' })}
      />
      {filter.span === 'own' && (
        <>
          <TextInput
            label="From"
            type="datetime-local"
            value={filter.from}
            onChange={(event) => onChange({ from: event.currentTarget.value, whole: '' })}
          />
          <TextInput
            label="To"
            type="datetime-local"
            value={filter.to}
            onChange={(event) => onChange({ to: event.currentTarget.value, whole: '' })}
          />
        </>
      )}
      <LocationPicker
        label="From or to location"
        value={location}
        onChange={(picked) => onChange({ location: picked ? String(picked.id) : '' })}
      />
      {filter.location !== '' && (
        <Switch
          mb={8}
          label="Include sub-locations"
          checked={filter.inside === 'yes'}
          onChange={(event) => onChange({ inside: event.currentTarget.checked ? 'yes' : 'no' })}
        />
      )}
      <AssetPicker
        value={asset}
        onChange={(picked) => onChange({ asset: picked ? String(picked.id) : '' })}
      />
      <Checkbox.Group
        label="Type"
        value={TYPES.filter((type) => filter.type.split(',').includes(type))}
        onChange={(types) => onChange({ type: types.join(',') })}
      >
        <Group gap="sm" mih={36}>
          {TYPES.map((type) => (
            <Checkbox key={type} value={type} label={assetTypeOf(type).plural} />
          ))}
        </Group>
      </Checkbox.Group>
    </Group>
  )
}
