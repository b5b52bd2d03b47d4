import { Alert, Button, Checkbox, Group, Stack } from '@mantine/core'
import { useBlocker } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { CopyField } from './copy-field.tsx'

type Props = {
  secrets: readonly { label: string; value: string }[]
  children?: ReactNode
  onStored: () => void
  /** On the box that has to be ticked. */
  storedLabel?: string
  advice?: string
}

/** Secrets that are shown this once. The page is not left before the person says that they are stored. */
export function SecretOnce({
  secrets,
  children,
  onStored,
  storedLabel = 'I have stored it',
  advice = 'Copy it into a password store now.',
}: Props) {
  const [isStored, setStored] = useState(false)
  useBlocker({
    shouldBlockFn: () => !isStored && !window.confirm('The secret is not shown again. Leave without it?'),
    enableBeforeUnload: () => !isStored,
  })
  return (
    <Stack gap="sm">
      <Alert color="yellow" title="Shown this once" role="status">
        {`${advice} It cannot be shown again.`}
      </Alert>
      {secrets.map(({ label, value }) => (
        <CopyField key={label} label={label} value={value} isSecret />
      ))}
      {children}
      <Checkbox
        label={storedLabel}
        checked={isStored}
        onChange={(event) => setStored(event.currentTarget.checked)}
      />
      <Group justify="flex-end">
        <Button disabled={!isStored} onClick={onStored}>
          Done
        </Button>
      </Group>
    </Stack>
  )
}
