import { Button, Group, Paper, Text } from '@mantine/core'
import { useState } from 'react'
import { countText } from '../../../parts/table/count-text.ts'
import type { Asset } from '../assets/asset-fields.ts'
import { DeleteSelected } from './delete-selected.tsx'
import { EditSelected } from './edit-selected.tsx'
import { MoveSelected } from './move-selected.tsx'
import { MOST_SELECTED, type Selection, useSelected } from './selection.ts'
import { ExportSelected } from './export-selected.tsx'

type Props = {
  selection: Selection
  /** The shown page. */
  page: readonly Asset[]
}

type Dialog = 'edit' | 'move' | 'delete'

/** What can be done with the chosen assets. */
export function SelectionBar({ selection, page }: Props) {
  const selected = useSelected(selection)
  const [dialog, setDialog] = useState<Dialog>()
  const assets = [...selected.values()]
  const isFull = selected.size >= MOST_SELECTED
  const close = () => setDialog(undefined)
  const done = () => {
    close()
    selection.clear()
  }
  const dialogProps = { assets, onClose: close, onDone: done }
  const rest = page.filter(({ id, deleted_at: at }) => at === null && !selected.has(id))
  return (
    <Paper withBorder p="xs" role="group" aria-label="Selected assets">
      <Group gap="xs">
        <Text size="sm" role="status" mr="xs">
          {selected.size === 0
            ? 'Select assets to change several at once.'
            : `${countText(selected.size, 'assets')} selected`}
          {isFull && `, as many as can be`}
        </Text>
        {rest.length > 0 && !isFull && (
          <Button size="compact-sm" variant="default" onClick={() => selection.add(rest)}>
            Select this page
          </Button>
        )}
        {selected.size > 0 && (
          <>
            <Button size="compact-sm" variant="default" onClick={() => setDialog('edit')}>
              Edit…
            </Button>
            <Button size="compact-sm" variant="default" onClick={() => setDialog('move')}>
              Move…
            </Button>
            <Button size="compact-sm" variant="default" onClick={() => setDialog('delete')}>
              Delete…
            </Button>
            <ExportSelected assets={assets} />
            <Button size="compact-sm" variant="subtle" onClick={selection.clear}>
              Clear selection
            </Button>
          </>
        )}
      </Group>
      {dialog === 'edit' && <EditSelected {...dialogProps} />}
      {dialog === 'move' && <MoveSelected {...dialogProps} />}
      {dialog === 'delete' && <DeleteSelected {...dialogProps} />}
    </Paper>
  )
}
