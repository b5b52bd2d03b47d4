import { Table } from '@mantine/core'
import type { ReactNode } from 'react'
import './stacked-table.css'

type Props = {
  /** Name of the list for screen readers. */
  label: string
  /** Below this width in pixels, and above that of a phone, the table scrolls in its region. */
  minWidth?: number
  /** Pixels, after which the table scrolls. */
  maxHeight?: number
  children: ReactNode
}

/** A table of `Cell`s. On a phone each row is a card, with the label of each value beside it. */
export function StackedTable({ label, minWidth, maxHeight, children }: Props) {
  const keyboard = { tabIndex: 0 } // keyboard users must be able to focus it to scroll
  return (
    <div className="scrolls" role="region" aria-label={label} {...keyboard} style={{ maxHeight }}>
      <Table className="stacked" style={{ '--stacked-min-width': `${minWidth ?? 0}px` }}>
        {children}
      </Table>
    </div>
  )
}

type CellProps = {
  /** The column heading; undefined for the cell that titles the card, and for buttons. */
  label?: string
  width?: number
  maxWidth?: number
  align?: 'right'
  colSpan?: number
  children: ReactNode
}

export const Cell = ({ label, width, maxWidth, align, colSpan, children }: CellProps) => (
  <Table.Td data-label={label} w={width} maw={maxWidth} ta={align} colSpan={colSpan}>
    {label === undefined ? children : <div>{children}</div>}
  </Table.Td>
)
