import { Button, Group, NativeSelect, Select, TextInput } from '@mantine/core'
import { SEVERITIES, severityOf } from '../../../parts/alerts/alert-text.ts'
import { AssetPicker } from '../../../parts/form/asset-picker.tsx'
import { useRead } from '../../../parts/load/use-read.ts'
import { usePicked } from '../../../parts/load/use-picked.ts'
import { LocationPicker } from '../../../parts/locations/location-picker.tsx'
import { countText } from '../../../parts/table/count-text.ts'
import { DEFAULTS, type Filter, idsOf, STATES } from './alert-filter.ts'

type Props = { filter: Filter; onChange: (change: Partial<Filter>) => void }

/** As many as an organization has. */
const MOST_RULES = 200

export function AlertFilters({ filter, onChange }: Props) {
  const set = (change: Partial<Filter>) => onChange({ ...change, offset: DEFAULTS.offset })
  const rules = useRead(['rules', 'choices'], '/api/v1/rules', { query: { limit: MOST_RULES, sort: 'name' } })
  const places = idsOf(filter.location)
  const location = usePicked('locations', places.length === 1 ? String(places[0]) : '')
  const asset = usePicked('assets', filter.asset)
  return (
    <Group align="flex-end">
      <NativeSelect
        label="State"
        data={[...STATES]}
        value={filter.state}
        onChange={(event) => set({ state: event.currentTarget.value })}
      />
      <NativeSelect
        label="Severity"
        data={[
          { value: '', label: 'Any' },
          ...SEVERITIES.map((value) => ({ value, label: severityOf(value)[1] })),
        ]}
        value={filter.severity}
        onChange={(event) => set({ severity: event.currentTarget.value })}
      />
      <Select
        label="Rule"
        placeholder="Any"
        data={(rules.data ?? []).map(({ id, name }) => ({ value: String(id), label: name }))}
        value={filter.rule === '' ? null : filter.rule}
        onChange={(rule) => set({ rule: rule ?? '' })}
        searchable
        clearable
        nothingFoundMessage="No such rule"
      />
      <AssetPicker value={asset} onChange={(picked) => set({ asset: picked ? String(picked.id) : '' })} />
      <LocationPicker
        label="Location"
        value={location}
        onChange={(picked) => set({ location: picked ? String(picked.id) : '' })}
      />
      <TextInput
        label="From"
        type="datetime-local"
        value={filter.from}
        onChange={(event) => set({ from: event.currentTarget.value })}
      />
      <TextInput
        label="To"
        type="datetime-local"
        value={filter.to}
        onChange={(event) => set({ to: event.currentTarget.value })}
      />
      {places.length > 1 && (
        <Button variant="light" onClick={() => set({ location: '' })}>
          {`Only ${countText(places.length, 'locations')}: show all again`}
        </Button>
      )}
      {filter.reader !== '' && (
        <Button variant="light" onClick={() => set({ reader: '' })}>
          Only one reader: show all again
        </Button>
      )}
    </Group>
  )
}
