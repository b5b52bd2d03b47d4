import { Checkbox } from '@mantine/core'
import type { Column } from '../../../parts/table/data-table.tsx'
import type { Asset } from '../assets/asset-fields.ts'
import { type Selection, useIsSelected } from './selection.ts'

export const selectColumn = (selection: Selection): Column<Asset> => ({
  label: 'Select',
  role: 'select',
  width: 36,
  cell: (asset) => asset.deleted_at === null && <Choice asset={asset} selection={selection} />,
})

function Choice({ asset, selection }: { asset: Asset; selection: Selection }) {
  const isSelected = useIsSelected(selection, asset.id)
  return (
    <Checkbox
      aria-label={`Select ${asset.name}`}
      checked={isSelected}
      onChange={(event) =>
        event.currentTarget.checked ? selection.add([asset]) : selection.remove([asset.id])
      }
    />
  )
}
