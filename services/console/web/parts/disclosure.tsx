import { Stack } from '@mantine/core'
import { type ReactNode, useState } from 'react'

type Props = {
  summary: string
  /** Only at first: later changes must not close what a person reads. */
  isOpen?: boolean
  children: ReactNode
}

/** Details on demand, for people who need them. */
export function Disclosure({ summary, isOpen = false, children }: Props) {
  const [isOpenAtFirst] = useState(isOpen)
  return (
    <details open={isOpenAtFirst}>
      <summary style={{ cursor: 'pointer', fontSize: 'var(--mantine-font-size-sm)', fontWeight: 500 }}>
        {summary}
      </summary>
      <Stack gap="sm" mt="sm">
        {children}
      </Stack>
    </details>
  )
}
