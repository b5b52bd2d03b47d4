import { useBlocker } from '@tanstack/react-router'
import { type ReactNode, useMemo, useRef } from 'react'
import { DiscardDialog } from '../../../parts/form/form-modal.tsx'
import { type Unsaved, UnsavedContext } from '../../../parts/form/unsaved.ts'
import { useSessionState } from '../../../session/use-session.ts'

/** A form on a screen of its own. Once something was typed, leaving the screen asks first. */
export function FormPage({ children }: { children: ReactNode }) {
  const { status } = useSessionState()
  // Not a state: a form that was saved leaves before it draws again.
  const isUnsaved = useRef(false)
  const unsaved = useMemo<Unsaved>(
    () => ({ setUnsaved: (is) => (isUnsaved.current = is), requestClose: () => undefined }),
    [],
  )
  const blocker = useBlocker({
    shouldBlockFn: () => isUnsaved.current && status !== 'expired',
    enableBeforeUnload: () => isUnsaved.current,
    withResolver: true,
  })
  return (
    <UnsavedContext value={unsaved}>
      {children}
      <DiscardDialog
        isOpen={blocker.status === 'blocked'}
        onKeep={() => blocker.reset?.()}
        onDiscard={() => blocker.proceed?.()}
      />
    </UnsavedContext>
  )
}
