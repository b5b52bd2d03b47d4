import { Group, Pagination, Text } from '@mantine/core'

type Props = {
  offset: number
  limit: number
  total: number
  onOffset: (offset: number) => void
  what: string
}

/** Shows the range and total of rows, with links to other pages. */
export function Pager({ offset, limit, total, onOffset, what }: Props) {
  const pages = Math.max(1, Math.ceil(total / limit))
  const number = new Intl.NumberFormat()
  const last = Math.min(offset + limit, total)
  return (
    <Group justify="space-between" mt="sm">
      <Text size="sm" c="dimmed" role="status">
        {total === 0
          ? `No ${what}`
          : `${number.format(Math.min(offset + 1, total))}–${number.format(last)} of ${number.format(total)} ${what}`}
      </Text>
      {pages > 1 && (
        <Pagination
          size="sm"
          total={pages}
          value={Math.floor(offset / limit) + 1}
          onChange={(page) => onOffset((page - 1) * limit)}
          getControlProps={(control) => ({ 'aria-label': `${control} page of ${what}` })}
          getItemProps={(page) => ({ 'aria-label': `Page ${page} of ${what}` })}
        />
      )}
    </Group>
  )
}
