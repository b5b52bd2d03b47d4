import { Loader, Select } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'

export type Picked = { id: number; name: string; external_key: string }

type Props<T extends Picked> = {
  label: string
  value: T | null
  onChange: (picked: T | null) => void
  error?: string | undefined
  description?: string | undefined
  /** Cannot be picked. */
  exclude?: number | undefined
  isRequired: boolean
  placeholder: string
  /** What is searched: `assets`. */
  what: string
  /** The first that match, by name. */
  search: (q: string, signal: AbortSignal) => Promise<readonly T[]>
}

/** How many a search shows. */
export const SHOWN = 30

const labelOf = ({ name, external_key }: Picked) => `${name} (${external_key})`

/** Picks one of many by part of its name or key. What an earlier text found cannot be picked any more. */
export function SearchSelect<T extends Picked>({
  what,
  search,
  label,
  value,
  onChange,
  exclude,
  ...props
}: Props<T>) {
  const [typed, setTyped] = useState('')
  const wanted = value && typed === labelOf(value) ? '' : typed
  const [q] = useDebouncedValue(wanted, 200)
  const found = useQuery({
    queryKey: [what, 'picker', q],
    placeholderData: keepPreviousData, // the label of what is picked stays while the next search runs
    queryFn: async ({ signal }) => search(q, signal),
  })
  const isSearching = wanted !== q || found.isPlaceholderData || found.isPending
  const choices = (found.data ?? []).filter(({ id }) => id !== exclude)
  const matches = new Set(choices.map(({ id }) => String(id)))
  const all = value && !matches.has(String(value.id)) ? [value, ...choices] : choices
  return (
    <Select
      label={label}
      description={props.description}
      placeholder={props.placeholder}
      searchable
      clearable
      required={props.isRequired}
      error={props.error ?? (found.isError ? `Could not load ${what}` : undefined)}
      rightSection={found.isFetching ? <Loader size="xs" /> : undefined}
      // Mantine hides this button from keyboard and screen reader users.
      clearButtonProps={{
        'aria-label': `Clear ${label}`,
        'aria-hidden': undefined,
        tabIndex: 0,
        miw: 24,
        mih: 24,
      }}
      nothingFoundMessage={
        isSearching && !found.isError ? 'Searching…' : `No ${what.replace(/s$/, '')} found`
      }
      data={all.map((each) => ({ value: String(each.id), label: labelOf(each) }))}
      filter={({ options }) => {
        if (isSearching) return []
        return q === '' ? options : options.filter((each) => 'value' in each && matches.has(each.value))
      }}
      value={value && String(value.id)}
      onSearchChange={setTyped}
      onChange={(id) => onChange(all.find((each) => String(each.id) === id) ?? null)}
    />
  )
}
