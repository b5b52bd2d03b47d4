import { Table, UnstyledButton } from '@mantine/core'

type Props = {
  label: string
  /** Name of the field in `sort`. */
  field: string
  /** `name` or `-name`. */
  sort: string
  onSort: (sort: string) => void
}

/** A column heading that sorts the rows. */
export function SortHeading({ label, field, sort, onSort }: Props) {
  const direction = sort === field ? 'ascending' : sort === `-${field}` ? 'descending' : 'none'
  return (
    <Table.Th aria-sort={direction}>
      <UnstyledButton
        fw={600}
        fz="sm"
        onClick={() => onSort(direction === 'ascending' ? `-${field}` : field)}
      >
        {label}{' '}
        <span aria-hidden>{direction === 'ascending' ? '▲' : direction === 'descending' ? '▼' : '↕'}</span>
      </UnstyledButton>
    </Table.Th>
  )
}
