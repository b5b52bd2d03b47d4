import { Button } from '@mantine/core'
import { lazy, Suspense, useState } from 'react'
import type { Reader } from '../reader-fields.ts'
import type { TryMessageProps } from '../later/try-message.tsx'

const Dialog = lazy(() => import('../later/try-message.tsx'))

/** The dialog is loaded when it opens. */
export const TryMessage = (props: TryMessageProps) => (
  <Suspense>
    <Dialog {...props} />
  </Suspense>
)

/** Opens the dialog with an empty message. */
export function TryMessageButton({ id, reader }: { id: number; reader: Reader }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button variant="default" onClick={() => setOpen(true)}>
        Try a message
      </Button>
      {isOpen && (
        <TryMessage
          id={id}
          reader={reader}
          first={{ message: '', format: reader.format ?? 'canonical' }}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  )
}
