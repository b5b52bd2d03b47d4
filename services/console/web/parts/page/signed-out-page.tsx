import { Logo } from './logo.tsx'
import { Container, Group, Paper, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { Screen } from './screen.tsx'

/** Frame of the screens outside the main menu, such as those of people who are not signed in. Says which server this is. */
export function SignedOutPage({
  title,
  lead,
  children,
}: {
  title: string
  lead?: ReactNode
  children: ReactNode
}) {
  return (
    <Container size={460} py={{ base: 24, xs: 60 }}>
      <header>
        <Group gap="sm" mb="lg" wrap="nowrap">
          <Logo size={36} />
          <div>
            <Text fw={700} size="lg" lh={1.2}>
              Whereabouts
            </Text>
            <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
              {location.host}
            </Text>
          </div>
        </Group>
      </header>
      <Paper withBorder p="lg" component="main">
        <Screen title={title} lead={lead}>
          {children}
        </Screen>
      </Paper>
    </Container>
  )
}
