import { Paper, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'

type Props = { title: string; children?: ReactNode; action?: ReactNode; isInCard?: boolean }

/** Shown instead of an empty list, with the next step. */
export function EmptyState({ title, children, action, isInCard = false }: Props) {
  return (
    <Paper withBorder={!isInCard} p="xl">
      <Stack align="center" gap="xs" ta="center">
        <Text fw={600}>{title}</Text>
        {children !== undefined && (
          <Text size="sm" c="dimmed" maw={520}>
            {children}
          </Text>
        )}
        {action}
      </Stack>
    </Paper>
  )
}
