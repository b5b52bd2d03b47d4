import { Group, Stack, Text, Title } from '@mantine/core'
import { type ReactNode, useEffect } from 'react'

type Props = { title: string; lead?: ReactNode; actions?: ReactNode; children: ReactNode }

/** One screen: heading (also the window title), actions and content. */
export function Screen({ title, lead, actions, children }: Props) {
  useEffect(() => {
    document.title = `${title} · Whereabouts`
  }, [title])
  return (
    <Stack gap="md">
      <Group justify="space-between" align="flex-start">
        <div>
          <Title order={1} size="h2" tabIndex={-1} id="screen-title">
            {title}
          </Title>
          {lead !== undefined && (
            <Text c="dimmed" size="sm" component="div">
              {lead}
            </Text>
          )}
        </div>
        {actions !== undefined && <Group gap="xs">{actions}</Group>}
      </Group>
      {children}
    </Stack>
  )
}
