import { Loader, Select } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { unwrap } from '@whereabouts/client/client'
import { useContext, useState } from 'react'
import { api } from '../session/api.ts'
import { UnsavedContext } from './unsaved.ts'

export type PickedLocation = { id: number; name: string; external_key: string }

type Props = {
  label: string
  value: PickedLocation | null
  onChange: (location: PickedLocation | null) => void
  error?: string
  description?: string
  /** Cannot be chosen: a location is not its own parent. */
  exclude?: number
  isRequired?: boolean
}

const SHOWN = 30

const labelOf = ({ name, external_key }: PickedLocation) => `${name} (${external_key})`

/** Picks a location by part of its name or key. */
export function LocationPicker({
  label,
  value,
  onChange,
  error,
  description,
  exclude,
  isRequired = false,
}: Props) {
  const [typed, setTyped] = useState('')
  const unsaved = useContext(UnsavedContext)
  const [q] = useDebouncedValue(value && typed === labelOf(value) ? '' : typed, 200)
  const found = useQuery({
    queryKey: ['locations', 'picker', q],
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) =>
      unwrap(
        await api.GET('/api/v1/locations', {
          params: { query: { limit: SHOWN, sort: 'name', ...(q !== '' && { q }) } },
          signal,
        }),
      ).data,
  })
  const choices = (found.data ?? []).filter(({ id }) => id !== exclude)
  const all = value && !choices.some(({ id }) => id === value.id) ? [value, ...choices] : choices
  return (
    <Select
      label={label}
      description={description}
      placeholder="Type a name or key"
      searchable
      clearable
      required={isRequired}
      error={error ?? (found.isError ? 'Could not load locations' : undefined)}
      rightSection={found.isFetching ? <Loader size="xs" /> : undefined}
      // Mantine hides this button from keyboard and screen reader users.
      clearButtonProps={{ 'aria-label': `Clear ${label}`, 'aria-hidden': undefined, tabIndex: 0 }}
      nothingFoundMessage={found.isFetching ? 'Searching…' : 'No location found'}
      data={all.map((each) => ({ value: String(each.id), label: labelOf(each) }))}
      filter={({ options }) => options}
      value={value && String(value.id)}
      onSearchChange={setTyped}
      onChange={(id) => {
        unsaved?.setUnsaved(true)
        onChange(all.find((each) => String(each.id) === id) ?? null)
      }}
    />
  )
}
