import { Button, Group, Paper, Text } from '@mantine/core'
import { lazy, Suspense } from 'react'
import { countText } from '../../../parts/table/count-text.ts'
import type { Asset } from '../assets/asset-fields.ts'
import { MOST_SELECTED, type Selection, useSelected } from './selection.ts'

type Props = {
  selection: Selection
  /** The shown page. */
  page: readonly Asset[]
}

const Actions = lazy(() => import('./later/selected-actions.tsx'))

/** How many assets are chosen, and what can be done with them. */
export function SelectionBar({ selection, page }: Props) {
  const selected = useSelected(selection)
  const isFull = selected.size >= MOST_SELECTED
  const rest = page.filter(({ id, deleted_at: at }) => at === null && !selected.has(id))
  return (
    <Paper withBorder p="xs" role="group" aria-label="Selected assets">
      <Group gap="xs">
        <Text size="sm" role="status" mr="xs">
          {selected.size === 0
            ? 'Select assets to change several at once.'
            : `${countText(selected.size, 'assets')} selected${isFull ? ', as many as can be' : ''}`}
        </Text>
        {rest.length > 0 && !isFull && (
          <Button size="compact-sm" variant="default" onClick={() => selection.add(rest)}>
            Select this page
          </Button>
        )}
        {selected.size > 0 && (
          <>
            <Suspense>
              <Actions assets={[...selected.values()]} onDone={selection.clear} />
            </Suspense>
            <Button size="compact-sm" variant="subtle" onClick={selection.clear}>
              Clear selection
            </Button>
          </>
        )}
      </Group>
    </Paper>
  )
}
