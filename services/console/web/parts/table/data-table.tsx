import { Table, UnstyledButton, VisuallyHidden } from '@mantine/core'
import IconChevronDown from '@tabler/icons-react/icons/IconChevronDown'
import IconChevronUp from '@tabler/icons-react/icons/IconChevronUp'
import IconSelector from '@tabler/icons-react/icons/IconSelector'
import { memo, type ReactNode } from 'react'
import { Icon } from '../page/icon.tsx'
import { useArrived } from '../load/use-arrived.ts'
import './data-table.css'

/** One column: its heading, and what it shows of a row. */
export type Column<Row> = {
  label: string
  cell: (row: Row) => ReactNode
  /** `title`: names the row; on a phone it heads the card. `actions`: buttons, `select`: a checkbox; only screen readers hear the heading. */
  role?: 'title' | 'actions' | 'select'
  /** The field of `sort`, if people can sort by the column. */
  sort?: string | undefined
  align?: 'right'
  width?: number
  maxWidth?: number
}

type Sorting = {
  /** `name` or `-name`. */
  sort: string
  onSort: (sort: string) => void
}

export type DataTableProps<Row> = {
  /** Name of the list for screen readers. */
  label: string
  /** Rows draw again only when they or the columns change: keep columns outside of the component, or memoize them. */
  columns: readonly Column<Row>[]
  rowKey: (row: Row) => string | number
  sorting?: Sorting
  /** Below this width in pixels, and above that of a phone, the table scrolls in its region. */
  minWidth?: number
  /** The widths of columns do not depend on the rows. Those without `width` share the rest. */
  isFixed?: boolean
  /** Pixels, after which the table scrolls. */
  maxHeight?: number
  /** Rows that come later arrive live: they fade in. */
  isLive?: boolean
}

/** A table. On a phone each row is a card, with the label of each value beside it. */
export function DataTable<Row>({
  label,
  columns,
  rowKey,
  sorting,
  minWidth = 0,
  isFixed = false,
  maxHeight,
  isLive = false,
  rows,
}: DataTableProps<Row> & { rows: readonly Row[] }) {
  const hasArrived = useArrived(rows.map(rowKey))
  const keyboard = { tabIndex: 0 } // keyboard users must be able to focus it to scroll
  return (
    <div className="scrolls" role="region" aria-label={label} {...keyboard} style={{ maxHeight }}>
      <Table
        className="stacked"
        layout={isFixed ? 'fixed' : 'auto'}
        style={{ '--stacked-min-width': `${minWidth}px` }}
      >
        <Table.Thead>
          <Table.Tr>
            {columns.map((column) => (
              <Heading key={column.label} column={column} sorting={sorting} />
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((row) => (
            <Row
              key={rowKey(row)}
              row={row}
              columns={columns as readonly Column<unknown>[]}
              hasArrived={isLive && hasArrived(rowKey(row))}
            />
          ))}
        </Table.Tbody>
      </Table>
    </div>
  )
}

const DIRECTIONS = { ascending: IconChevronUp, descending: IconChevronDown, none: IconSelector }

type HeadingProps<Row> = { column: Column<Row>; sorting: Sorting | undefined }

function Heading<Row>({ column: { label, role, sort: field, align, width }, sorting }: HeadingProps<Row>) {
  const style = styleOf({ align, width })
  if (role === 'actions' || role === 'select')
    return (
      <Table.Th style={style}>
        <VisuallyHidden>{label}</VisuallyHidden>
      </Table.Th>
    )
  if (field === undefined || !sorting) return <Table.Th style={style}>{label}</Table.Th>
  const { sort, onSort } = sorting
  const direction = sort === field ? 'ascending' : sort === `-${field}` ? 'descending' : 'none'
  return (
    <Table.Th aria-sort={direction} style={style}>
      <UnstyledButton
        className="sort"
        onClick={() => onSort(direction === 'ascending' ? `-${field}` : field)}
      >
        {label}
        <Icon of={DIRECTIONS[direction]} size={14} />
      </UnstyledButton>
    </Table.Th>
  )
}

/**
 * How a column is laid out, as variables: the styles of the table use them, and those of the cards on a phone do not.
 * As properties they would hold on a phone too.
 */
const styleOf = ({ align, width, maxWidth }: Pick<Column<never>, 'align' | 'width' | 'maxWidth'>) => ({
  '--column-align': align,
  '--column-width': width === undefined ? undefined : `${width}px`,
  '--column-max-width': maxWidth === undefined ? undefined : `${maxWidth}px`,
})

type RowProps = { row: unknown; columns: readonly Column<unknown>[]; hasArrived: boolean }

const Row = memo(function Row({ row, columns, hasArrived }: RowProps) {
  return (
    <Table.Tr className={hasArrived ? 'arrives' : undefined}>
      {columns.map(
        ({ label, cell, role, align = role === 'actions' ? 'right' : undefined, width, maxWidth }) => (
          <Table.Td
            key={label}
            data-label={role === undefined ? label : undefined}
            style={styleOf({ align, width, maxWidth })}
          >
            {role === undefined ? <div>{cell(row)}</div> : cell(row)}
          </Table.Td>
        ),
      )}
    </Table.Tr>
  )
})
