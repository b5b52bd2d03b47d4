import { Container, Paper, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { Screen } from './screen.tsx'

/** Frame of the screens for people who are not signed in. */
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
    <Container size={460} py={60} component="main">
      <Text fw={700} mb="lg">
        Whereabouts
      </Text>
      <Paper withBorder p="lg">
        <Screen title={title} lead={lead}>
          {children}
        </Screen>
      </Paper>
    </Container>
  )
}
