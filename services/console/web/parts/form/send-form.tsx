import { Button, Group, Stack } from '@mantine/core'
import { type ReactNode, useContext, useEffect, useRef } from 'react'
import { FailureNotice } from '../load/failure-notice.tsx'
import { UnsavedContext } from './unsaved.ts'
import type { Send } from './use-send.ts'

type State = Pick<Send<never, unknown>, 'isSending' | 'error'>
/** What is called when the form is submitted; without it, `send` without an input. */
type Submit =
  | { send: State; onSubmit: () => void }
  | { send: State & Pick<Send<undefined, unknown>, 'send'>; onSubmit?: undefined }
type Props = Submit & {
  /** Label of the submit button. */
  label: string
  onCancel?: () => void
  /** Fields that show their own messages. */
  shownFields?: readonly string[]
  isDisabled?: boolean
  /** On a phone, the button stays at the lower edge of the screen. */
  isAtThumb?: boolean
  /** What to know before sending, beside the button. */
  beside?: ReactNode
  /** Red for what takes something away. */
  color?: 'red'
  children: ReactNode
}

/** A form that sends to the API. Moves the focus to the first field with a problem. */
export function SendForm({
  label,
  onCancel,
  shownFields = [],
  isDisabled = false,
  isAtThumb = false,
  beside,
  color,
  children,
  ...submit
}: Props) {
  const { send } = submit
  const form = useRef<HTMLFormElement>(null)
  const unsaved = useContext(UnsavedContext)
  const isSubmitted = useRef(false)
  useEffect(() => {
    if (!isSubmitted.current || send.isSending) return
    const invalid = form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')
    if (!invalid) return
    isSubmitted.current = false
    invalid.focus()
  })
  return (
    <form
      ref={form}
      className="send-form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        event.stopPropagation() // a form in a dialog is inside the form below it, for React
        if (send.isSending) return
        isSubmitted.current = true
        if (submit.onSubmit) submit.onSubmit()
        else submit.send.send(undefined)
      }}
    >
      <Stack gap="sm">
        {children}
        {send.error !== undefined && <FailureNotice error={send.error} shownFields={shownFields} />}
        <Group justify="flex-end" gap="xs" className={isAtThumb ? 'at-thumb' : undefined}>
          {Boolean(beside) && <div className="beside">{beside}</div>}
          {onCancel && (
            <Button variant="default" onClick={unsaved?.requestClose ?? onCancel}>
              Cancel
            </Button>
          )}
          <Button type="submit" loading={send.isSending} disabled={isDisabled} {...(color && { color })}>
            {label}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
