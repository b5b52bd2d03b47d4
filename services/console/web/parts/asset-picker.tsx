import { Loader, Select } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { unwrap } from '@whereabouts/client/client'
import { useState } from 'react'
import { api } from '../session/api.ts'

export type PickedAsset = { id: number; name: string; external_key: string }

type Props = {
  value: PickedAsset | null
  onChange: (asset: PickedAsset | null) => void
  error?: string | undefined
  isRequired?: boolean
}

const SHOWN = 30

const labelOf = ({ name, external_key }: PickedAsset) => `${name} (${external_key})`

/** Picks an asset by part of its name, key or tag value. */
export function AssetPicker({ value, onChange, error, isRequired = false }: Props) {
  const [typed, setTyped] = useState('')
  const [q] = useDebouncedValue(value && typed === labelOf(value) ? '' : typed, 200)
  const found = useQuery({
    queryKey: ['assets', 'picker', q],
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) =>
      unwrap(
        await api.GET('/api/v1/assets', {
          params: { query: { limit: SHOWN, sort: 'name', ...(q !== '' && { q }) } },
          signal,
        }),
      ).data,
  })
  const choices = found.data ?? []
  const all = value && !choices.some(({ id }) => id === value.id) ? [value, ...choices] : choices
  return (
    <Select
      label="Asset"
      placeholder="Type a name, key or tag"
      searchable
      clearable
      required={isRequired}
      error={error ?? (found.isError ? 'Could not load assets' : undefined)}
      rightSection={found.isFetching ? <Loader size="xs" /> : undefined}
      // Mantine hides this button from keyboard and screen reader users.
      clearButtonProps={{ 'aria-label': 'Clear asset', 'aria-hidden': undefined, tabIndex: 0 }}
      nothingFoundMessage={found.isFetching ? 'Searching…' : 'No asset found'}
      data={all.map((asset) => ({ value: String(asset.id), label: labelOf(asset) }))}
      filter={({ options }) => options}
      value={value && String(value.id)}
      onSearchChange={setTyped}
      onChange={(id) => onChange(all.find((each) => String(each.id) === id) ?? null)}
    />
  )
}
