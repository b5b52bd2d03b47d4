import { useContext } from 'react'
import { api } from '../../session/api.ts'
import { type Picked, SearchSelect, SHOWN } from '../form/search-select.tsx'
import { UnsavedContext } from '../form/unsaved.ts'

export type PickedLocation = Picked

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

/** Picks a location by part of its name or key. */
export function LocationPicker({ onChange, exclude, isRequired = false, ...props }: Props) {
  const unsaved = useContext(UnsavedContext)
  return (
    <SearchSelect
      {...props}
      placeholder="Type a name or key"
      isRequired={isRequired}
      what="locations"
      exclude={exclude}
      search={async (q, signal) => {
        const query = { limit: SHOWN, sort: 'name', ...(q !== '' && { q }) }
        return api.get('/api/v1/locations', { query, signal })
      }}
      onChange={(location) => {
        unsaved?.setUnsaved(true)
        onChange(location)
      }}
    />
  )
}
