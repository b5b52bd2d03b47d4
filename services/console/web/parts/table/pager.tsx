import { Group, Pagination, Text } from '@mantine/core'
import { countText } from './count-text.ts'

type Props = {
  offset: number
  limit: number
  total: number
  onOffset: (offset: number) => void
  /** The plural: `assets`. */
  what: string
}

/** Shows the range and total of rows, with links to other pages. */
export function Pager({ offset, limit, total, onOffset, what }: Props) {
  const pages = Math.max(1, Math.ceil(total / limit))
  return (
    <Group justify="space-between" mt="sm">
      <Text size="sm" c="dimmed" role="status">
        {rangeText(offset, limit, total, what)}
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

/** `No assets`, `1 asset`, `1–50 of 60 assets`, `61 of 61 assets`. */
function rangeText(offset: number, limit: number, total: number, what: string): string {
  if (total === 0) return `No ${what}`
  if (total === 1) return countText(total, what)
  const number = new Intl.NumberFormat()
  const [first, last] = [Math.min(offset + 1, total), Math.min(offset + limit, total)]
  const range = first === last ? number.format(last) : `${number.format(first)}–${number.format(last)}`
  return `${range} of ${countText(total, what)}`
}
