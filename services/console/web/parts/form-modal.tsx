import { Modal, type ModalProps } from '@mantine/core'
import { useSessionState } from '../session/use-session.ts'

/**
 * Around a form that holds what somebody typed: a click beside it does not close it, and neither does a key that was
 * meant for the question of a session that has ended, which stands over it.
 */
export function FormModal(props: ModalProps) {
  const { status } = useSessionState()
  return <Modal closeOnClickOutside={false} closeOnEscape={status !== 'expired'} {...props} />
}
