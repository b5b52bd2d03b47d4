import { Alert, Button, Checkbox, Group, Stack } from '@mantine/core'
import { useBlocker } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { CopyField } from './copy-field.tsx'

type Props = {
  secrets: readonly { label: string; value: string }[]
  children?: ReactNode
  onStored: () => void
  /** Label of the checkbox that unlocks "Done". */
  storedLabel?: string
  advice?: string
}

/** Shows secrets once. Leaving the page asks for confirmation until the checkbox is ticked. */
export function SecretOnce({
  secrets,
  children,
  onStored,
  storedLabel = 'I have stored it',
  advice = 'Copy it to a password manager now.',
}: Props) {
  const [isStored, setStored] = useState(false)
  useBlocker({
    shouldBlockFn: () => !isStored && !window.confirm('The secret will not be shown again. Leave this page?'),
    enableBeforeUnload: () => !isStored,
  })
  return (
    <Stack gap="sm">
      <Alert color="yellow" title="Shown only once" role="status">
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
