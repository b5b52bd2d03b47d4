import { Button, Group, Modal, type ModalProps, Stack, Text } from '@mantine/core'
import { useBlocker } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { useSessionState } from '../../session/use-session.ts'
import { type Unsaved, UnsavedContext } from './unsaved.ts'

/**
 * A modal with a form. A click outside does not close it. Once something was typed, Escape, Cancel, the close button
 * and leaving the page ask first. Escape does nothing while the sign-in dialog of an expired session is open above it.
 */
export function FormModal({ opened, ...props }: ModalProps) {
  // Unmounted when closed, so that it opens without the state of the last time.
  return opened ? <OpenFormModal {...props} /> : null
}

function OpenFormModal({ onClose, children, ...props }: Omit<ModalProps, 'opened'>) {
  const { status } = useSessionState()
  const [isUnsaved, setUnsaved] = useState(false)
  const [isAsking, setAsking] = useState(false)
  const blocker = useBlocker({
    shouldBlockFn: () => isUnsaved && status !== 'expired',
    enableBeforeUnload: () => isUnsaved,
    withResolver: true,
  })
  const unsaved = useMemo<Unsaved>(
    () => ({
      setUnsaved,
      requestClose: () => {
        if (status === 'expired') return // Escape was meant for the sign-in dialog above
        if (isUnsaved) setAsking(true)
        else onClose()
      },
    }),
    [isUnsaved, onClose, status],
  )
  const isBlocked = blocker.status === 'blocked'
  return (
    <Modal.Stack>
      <Modal opened stackId="form" onClose={unsaved.requestClose} closeOnClickOutside={false} {...props}>
        <UnsavedContext value={unsaved}>
          <div onInput={() => setUnsaved(true)}>{children}</div>
        </UnsavedContext>
      </Modal>
      <DiscardDialog
        isOpen={isAsking || isBlocked}
        onKeep={() => {
          setAsking(false)
          blocker.reset?.()
        }}
        onDiscard={() => {
          setUnsaved(false)
          setAsking(false)
          if (isBlocked) blocker.proceed()
          onClose()
        }}
      />
    </Modal.Stack>
  )
}

type DiscardProps = { isOpen: boolean; onKeep: () => void; onDiscard: () => void }

export const DiscardDialog = ({ isOpen, onKeep, onDiscard }: DiscardProps) => (
  <Modal opened={isOpen} onClose={onKeep} stackId="question" title="Discard what you entered?" size="sm">
    <Stack>
      <Text size="sm">It is not saved yet.</Text>
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={onKeep} data-autofocus>
          Keep editing
        </Button>
        <Button color="red" onClick={onDiscard}>
          Discard
        </Button>
      </Group>
    </Stack>
  </Modal>
)
