import { type ReactNode, useMemo, useState } from 'react'
import { useReloadOnMovement } from '../../live/use-live.ts'
import { Branch } from './branch.tsx'
import { type Tree, TreeContext } from './tree-context.ts'
import { type BranchLocation, useBranch } from './use-branch.ts'
import './tree.css'

type Props = {
  label: string
  /** The roots when left out. */
  parentId?: number
  onMove?: Tree['onMove']
  /** Shows the sub-locations of the first level, unless it has many locations. */
  isFirstLevelOpen?: boolean
  /** Shown if there are no locations. */
  empty: ReactNode
}

/** Each open location costs two requests. */
const MAX_OPEN = 5

/** Tree of locations with live asset counts. A level loads when its parent is expanded. */
export function LocationTree({ label, parentId, onMove, isFirstLevelOpen = false, empty }: Props) {
  /** What the person expanded or collapsed. */
  const [choices, setChoices] = useState<ReadonlyMap<number, boolean>>(new Map())
  const firstLevel = useBranch(parentId).data?.pages[0]
  const [dragged, setDragged] = useState<BranchLocation>()
  useReloadOnMovement([['occupancy']])
  const tree = useMemo<Tree>(() => {
    const isFew = (firstLevel?.total_count ?? 0) <= MAX_OPEN
    const openIds = isFirstLevelOpen && isFew ? (firstLevel?.data.map(({ id }) => id) ?? []) : []
    return {
      isOpen: (id) => choices.get(id) ?? openIds.includes(id),
      setOpen: (id, isOpen) => setChoices((before) => new Map([...before, [id, isOpen]])),
      onMove,
      dragged,
      setDragged,
    }
  }, [choices, isFirstLevelOpen, firstLevel, onMove, dragged])
  return (
    <TreeContext value={tree}>
      <div data-tree className="tree">
        {(firstLevel?.total_count ?? 0) > 0 && <Headings canMove={onMove !== undefined} />}
        <Branch label={label} parentId={parentId} empty={empty} />
        {dragged && dragged.parent_id !== null && <TopZone tree={tree} dragged={dragged} />}
      </div>
    </TreeContext>
  )
}

/** Of the two numbers. Each row also says them to screen readers, and on a phone. */
const Headings = ({ canMove }: { canMove: boolean }) => (
  <div className="tree-headings" aria-hidden>
    <span className="numbers">
      <span className="number">Here</span>
      <span className="number">In total</span>
    </span>
    {canMove && <span className="move" />}
  </div>
)

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
