import { Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { useSession } from './use-session.ts'

type Props = { children: ReactNode; isExplained?: boolean }

/** What changes something. Viewers do not see it; once on a screen, they read why. */
export function ForMembers({ children, isExplained = false }: Props) {
  const { canWrite } = useSession()
  if (canWrite) return children
  return isExplained ? <ViewersNote /> : null
}

export const ViewersNote = () => (
  <Text size="sm" c="dimmed">
    Viewers can look, not change. Ask an administrator for the role Member.
  </Text>
)
