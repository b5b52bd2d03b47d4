import { Anchor, Button, Container, Group, Text } from '@mantine/core'
import type { ErrorComponentProps } from '@tanstack/react-router'
import { FailureNotice } from '../parts/failure-notice.tsx'
import { Screen } from '../parts/screen.tsx'

/** A screen that cannot be shown: mostly its script is gone, because a newer release is there. */
export function BrokenScreen({ error }: ErrorComponentProps) {
  return (
    <Screen title="This screen could not be shown">
      <FailureNotice error={error} />
      <Group>
        <Button onClick={() => location.reload()}>Load the console again</Button>
      </Group>
    </Screen>
  )
}

export function UnknownScreen() {
  return (
    <Container py="xl" component="main">
      <Screen title="There is nothing here">
        <Text>
          The address may be mistyped. <Anchor href="/">Go to the overview</Anchor>.
        </Text>
      </Screen>
    </Container>
  )
}
