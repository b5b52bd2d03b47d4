import { api } from '../../session/api.ts'
import { type Picked, SearchSelect, SHOWN } from './search-select.tsx'

export type PickedAsset = Picked

type Props = {
  value: PickedAsset | null
  onChange: (asset: PickedAsset | null) => void
  error?: string | undefined
  isRequired?: boolean
}

/** Picks an asset by part of its name, key or tag value. */
export const AssetPicker = ({ isRequired = false, ...props }: Props) => (
  <SearchSelect
    {...props}
    label="Asset"
    placeholder="Type a name, key or tag"
    isRequired={isRequired}
    what="assets"
    search={async (q, signal) => {
      const query = { limit: SHOWN, sort: 'name', ...(q !== '' && { q }) }
      return api.get('/api/v1/assets', { query, signal })
    }}
  />
)
