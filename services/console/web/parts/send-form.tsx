import { Button, Group, Stack } from '@mantine/core'
import type { ReactNode } from 'react'
import { FailureNotice } from './failure-notice.tsx'
import type { Send } from './use-send.ts'

type Props = {
  send: Pick<Send<never, unknown>, 'isSending' | 'error'>
  onSubmit: () => void
  /** Label of the submit button. */
  label: string
  onCancel?: () => void
  /** Fields that show their own messages. */
  shownFields?: readonly string[]
  isDisabled?: boolean
  children: ReactNode
}

/** A form that sends to the API. Failures are shown above the submit button. */
export function SendForm({
  send,
  onSubmit,
  label,
  onCancel,
  shownFields = [],
  isDisabled = false,
  children,
}: Props) {
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        if (!send.isSending) onSubmit()
      }}
    >
      <Stack gap="sm">
        {children}
        {send.error !== undefined && <FailureNotice error={send.error} shownFields={shownFields} />}
        <Group justify="flex-end" gap="xs">
          {onCancel && (
            <Button variant="default" onClick={onCancel}>
              Cancel
            </Button>
          )}
          <Button type="submit" loading={send.isSending} disabled={isDisabled}>
            {label}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
