import { ActionIcon, Anchor, Badge, Button, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import IconChevronDown from '@tabler/icons-react/icons/IconChevronDown'
import IconChevronRight from '@tabler/icons-react/icons/IconChevronRight'
import { type DragEvent, type ReactNode, useState } from 'react'
import { Icon } from '../page/icon.tsx'
import { moveByArrow, type Tree, useTree } from './tree-context.ts'
import type { BranchLocation, Occupancy } from './use-branch.ts'

type Props = {
  location: BranchLocation
  occupancy: Occupancy | undefined
  /** Its sub-locations, rendered if it is expanded. */
  children: ReactNode
}

/** A location, with its sub-locations if expanded. */
export function Row({ location, occupancy, children }: Props) {
  const tree = useTree()
  const { id, name, external_key, children_count, is_active } = location
  const isOpen = children_count > 0 && tree.isOpen(id)
  const { isTarget, handlers } = useDrop(tree, location)
  return (
    <li>
      <div className={isTarget ? 'tree-row target' : 'tree-row'} {...handlers}>
        <Expander location={location} isOpen={isOpen} tree={tree} />
        <span className="name">
          <Anchor
            component={Link}
            to={`/locations/${id}`}
            size="sm"
            data-node={id}
            draggable={false}
            onKeyDown={(event) => moveByArrow(event, location, tree)}
          >
            {name}
          </Anchor>{' '}
          <Text span size="xs" c="dimmed">
            {external_key}
          </Text>{' '}
          {!is_active && (
            <Badge size="xs" variant="light" color="gray">
              Inactive
            </Badge>
          )}
        </span>
        <Numbers occupancy={occupancy} />
        {tree.onMove && (
          <Button
            size="compact-xs"
            variant="subtle"
            className="move"
            aria-label={`Move ${name}`}
            onClick={() => tree.onMove?.(location)}
          >
            Move…
          </Button>
        )}
      </div>
      {isOpen && children}
    </li>
  )
}

function Expander({ location, isOpen, tree }: { location: BranchLocation; isOpen: boolean; tree: Tree }) {
  if (location.children_count === 0) return <span className="fold" />
  return (
    <ActionIcon
      className="fold"
      size="sm"
      variant="subtle"
      color="gray"
      aria-expanded={isOpen}
      aria-label={`Sub-locations of ${location.name}`}
      onClick={() => tree.setOpen(location.id, !isOpen)}
    >
      <Icon of={isOpen ? IconChevronDown : IconChevronRight} size={16} />
    </ActionIcon>
  )
}

function Numbers({ occupancy }: { occupancy: Occupancy | undefined }) {
  const number = new Intl.NumberFormat()
  if (!occupancy) return <span className="numbers" />
  const here = number.format(occupancy.here)
  const inside = number.format(occupancy.inside)
  return (
    <Text span size="sm" className="numbers">
      <span className="number">
        {here}
        <span className="unit"> here, </span>
      </span>
      <span className="number">
        {inside}
        <span className="unit"> in total</span>
      </span>
    </Text>
  )
}

/** A row can be dragged, and it is a drop target for others. */
function useDrop(tree: Tree, location: BranchLocation) {
  const [isOver, setOver] = useState(false)
  const { onMove, dragged, setDragged } = tree
  if (!onMove) return { isTarget: false, handlers: {} }
  const canDrop = dragged !== undefined && dragged.id !== location.id && dragged.parent_id !== location.id
  const handlers = {
    draggable: true,
    onDragStart: (event: DragEvent) => {
      event.dataTransfer.effectAllowed = 'move'
      event.dataTransfer.setData('text/plain', location.external_key)
      setDragged(location)
    },
    onDragEnd: () => setDragged(undefined),
    onDragOver: (event: DragEvent) => {
      if (!canDrop) return
      event.preventDefault()
      setOver(true)
    },
    onDragLeave: () => setOver(false),
    onDrop: (event: DragEvent) => {
      event.preventDefault()
      setOver(false)
      if (canDrop) onMove(dragged, location)
      setDragged(undefined)
    },
  }
  return { isTarget: isOver && canDrop, handlers }
}
