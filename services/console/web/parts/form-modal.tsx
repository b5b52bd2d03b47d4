import { Modal, type ModalProps } from '@mantine/core'
import { useSessionState } from '../session/use-session.ts'

/**
 * A modal with a form. A click outside does not close it, because typed text would be lost. Escape does not close it
 * while the sign-in dialog of an expired session is open above it.
 */
export function FormModal(props: ModalProps) {
  const { status } = useSessionState()
  return <Modal closeOnClickOutside={false} closeOnEscape={status !== 'expired'} {...props} />
}
