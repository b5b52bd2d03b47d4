import { Anchor, Button, Group, Text } from '@mantine/core'
import type { ErrorComponentProps } from '@tanstack/react-router'
import { FailureNotice } from '../parts/failure-notice.tsx'
import { Screen } from '../parts/screen.tsx'
import { SignedOutPage } from '../parts/signed-out-page.tsx'

/** The screen failed to load, usually because a new release replaced its script. */
export function BrokenScreen({ error }: ErrorComponentProps) {
  return (
    <Screen title="This screen could not be loaded">
      <FailureNotice error={error} />
      <Group>
        <Button onClick={() => location.reload()}>Reload the console</Button>
      </Group>
    </Screen>
  )
}

export function UnknownScreen() {
  return (
    <SignedOutPage title="Page not found">
      <Text>
        Check the address. <Anchor href="/">Go to the overview</Anchor>.
      </Text>
    </SignedOutPage>
  )
}
