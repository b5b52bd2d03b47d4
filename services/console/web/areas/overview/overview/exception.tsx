import { Anchor, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import './overview.css'

type Props = {
  count: number
  /** The plural. */
  label: string
  one: string
  /** The list with exactly these. */
  to: string
  search?: Readonly<Record<string, string>>
  /** `li` elements: the first of them. */
  children: ReactNode
}

const number = new Intl.NumberFormat()

/** One kind of exception: how many there are, and the first few. Nothing if there is none. */
export function Exception({ count, label, one, to, search = {}, children }: Props) {
  if (count === 0) return null
  return (
    <div className="exception">
      <Anchor component={Link} to={to} search={() => search as never}>
        <Text span fz={28} fw={600} lh={1.2} display="block">
          {number.format(count)}
        </Text>{' '}
        <Text span size="sm">
          {count === 1 ? one : label}
        </Text>
      </Anchor>
      <ul className="facts">{children}</ul>
    </div>
  )
}
