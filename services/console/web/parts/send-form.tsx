import { Button, Group, Stack } from '@mantine/core'
import type { ReactNode } from 'react'
import { FailureNotice } from './failure-notice.tsx'
import type { Send } from './use-send.ts'

type Props = {
  send: Pick<Send<never, unknown>, 'isSending' | 'error'>
  onSubmit: () => void
  /** On the button. */
  label: string
  onCancel?: () => void
  /** Fields that show their own messages. */
  shownFields?: readonly string[]
  isDisabled?: boolean
  children: ReactNode
}

/** A form whose answer comes from the API: its failure above the button, where the eye is. */
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
