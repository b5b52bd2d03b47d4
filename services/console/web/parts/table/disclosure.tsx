import { Stack } from '@mantine/core'
import IconChevronRight from '@tabler/icons-react/icons/IconChevronRight'
import { type ReactNode, useState } from 'react'

import { Icon } from '../page/icon.tsx'

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
      <summary style={{ fontSize: 'var(--mantine-font-size-sm)', fontWeight: 500 }}>
        <Icon of={IconChevronRight} size={16} className="fold-icon" />
        {summary}
      </summary>
      <Stack gap="sm" mt="sm">
        {children}
      </Stack>
    </details>
  )
}
