import { Button, Modal, Stack, Text } from '@mantine/core'
import type { ApiError } from '@whereabouts/client/client'
import { type ReactNode, useState } from 'react'
import { SendForm } from './send-form.tsx'
import { useSend } from './use-send.ts'

type Props<T> = {
  label: string
  /** On the button that does it; without it, red and the label again. */
  confirm?: string
  /** The effect, in a sentence. */
  children: ReactNode
  work: () => Promise<T>
  reload?: readonly (readonly unknown[])[]
  onDone?: (result: T) => void
  /** A failure in the words of this action; undefined for the usual words. */
  explain?: (error: NonNullable<ApiError['error']>) => { title: string; detail?: string } | undefined
  size?: 'xs' | 'compact-sm' | 'sm'
  /** Needed where the label alone is ambiguous. */
  ariaLabel?: string
}

/** An action with an effect on others: asks for confirmation and shows the effect. Only the confirmation is red. */
export function ConfirmButton<T>({ label, children, work, confirm, ...props }: Props<T>) {
  const { reload, onDone, explain, size = 'sm', ariaLabel } = props
  const [isOpen, setOpen] = useState(false)
  const send = useSend(work, {
    reload,
    ...(explain && { explain }),
    onDone: (result) => {
      setOpen(false)
      onDone?.(result)
    },
  })
  return (
    <>
      <Button
        variant="default"
        size={size}
        aria-label={ariaLabel}
        onClick={() => {
          send.reset()
          setOpen(true)
        }}
      >
        {label}
      </Button>
      <Modal opened={isOpen} onClose={() => setOpen(false)} title={ariaLabel ?? label}>
        <Stack>
          <Text size="sm" component="div">
            {children}
          </Text>
          <SendForm
            send={send}
            label={confirm ?? label}
            {...(confirm === undefined && { color: 'red' })}
            onCancel={() => setOpen(false)}
          >
            {null}
          </SendForm>
        </Stack>
      </Modal>
    </>
  )
}
