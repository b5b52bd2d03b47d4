import { Group, Text } from '@mantine/core'
import { type ReactNode, useMemo, useState } from 'react'
import { useReloadOnMovement } from '../../live/use-live.ts'
import { Branch } from './branch.tsx'
import { type Tree, TreeContext } from './tree-context.ts'
import type { BranchLocation } from './use-branch.ts'
import './tree.css'

type Props = {
  label: string
  /** The roots when left out. */
  parentId?: number
  onMove?: Tree['onMove']
  /** Shown if there are no locations. */
  empty: ReactNode
}

/** Tree of locations with live asset counts. A level loads when its parent is expanded. */
export function LocationTree({ label, parentId, onMove, empty }: Props) {
  const [open, setOpen] = useState<ReadonlySet<number>>(new Set())
  const [dragged, setDragged] = useState<BranchLocation>()
  useReloadOnMovement([['occupancy']])
  const tree = useMemo<Tree>(
    () => ({
      isOpen: (id) => open.has(id),
      setOpen: (id, isOpen) =>
        setOpen((before) => new Set(isOpen ? [...before, id] : [...before].filter((each) => each !== id))),
      onMove,
      dragged,
      setDragged,
    }),
    [open, onMove, dragged],
  )
  return (
    <TreeContext value={tree}>
      <div data-tree className="tree">
        <Group justify="flex-end" aria-hidden className="tree-head">
          <Text size="xs" c="dimmed">
            here / total
          </Text>
        </Group>
        <Branch label={label} parentId={parentId} empty={empty} />
        {dragged && dragged.parent_id !== null && <TopZone tree={tree} dragged={dragged} />}
      </div>
    </TreeContext>
  )
}

/** Drop target for the top level, visible while a row is dragged. */
const TopZone = ({ tree, dragged }: { tree: Tree; dragged: BranchLocation }) => (
  <div
    className="tree-top"
    onDragOver={(event) => event.preventDefault()}
    onDrop={(event) => {
      event.preventDefault()
      tree.onMove?.(dragged, null)
      tree.setDragged(undefined)
    }}
  >
    Drop here to move to the top level
  </div>
)
