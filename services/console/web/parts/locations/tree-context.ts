import { createContext, type KeyboardEvent, useContext } from 'react'
import type { BranchLocation } from './use-branch.ts'

export type Tree = {
  isOpen: (id: number) => boolean
  setOpen: (id: number, isOpen: boolean) => void
  /** Undefined in a read-only tree. `to`: null is the top level, undefined lets the person choose. */
  onMove?: (location: BranchLocation, to?: BranchLocation | null) => void
  dragged: BranchLocation | undefined
  setDragged: (location: BranchLocation | undefined) => void
}

export const TreeContext = createContext<Tree | undefined>(undefined)

export function useTree(): Tree {
  const tree = useContext(TreeContext)
  if (!tree) throw new Error('useTree needs a TreeContext')
  return tree
}

const nodesAround = (node: Element) => [
  ...(node.closest('[data-tree]')?.querySelectorAll<HTMLElement>('[data-node]') ?? []),
]

/** Standard tree keys: up and down between rows, right to expand, left to collapse. */
export function moveByArrow(event: KeyboardEvent<HTMLElement>, branch: BranchLocation, tree: Tree): void {
  const node = event.currentTarget
  const nodes = nodesAround(node)
  const step = (by: number) => nodes[nodes.indexOf(node) + by]?.focus()
  const isOpen = tree.isOpen(branch.id)
  const hasChildren = branch.children_count > 0
  if (event.key === 'ArrowDown') step(1)
  else if (event.key === 'ArrowUp') step(-1)
  else if (event.key === 'ArrowRight' && hasChildren && !isOpen) tree.setOpen(branch.id, true)
  else if (event.key === 'ArrowRight' && hasChildren) step(1)
  else if (event.key === 'ArrowLeft' && isOpen) tree.setOpen(branch.id, false)
  else if (event.key === 'ArrowLeft')
    node.closest('ul')?.closest('li')?.querySelector<HTMLElement>('[data-node]')?.focus()
  else return
  event.preventDefault()
}
