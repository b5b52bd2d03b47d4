import { useSyncExternalStore } from 'react'
import { onSessionChange, sessionState, type Session, type SessionState } from './session.ts'

export const useSessionState = (): SessionState => useSyncExternalStore(onSessionChange, sessionState)

/** The signed-in person and organization. Only below `Frame`, which renders for signed-in people only. */
export function useSession(): Session & { isAdmin: boolean } {
  const state = useSessionState()
  if (!('session' in state)) throw new Error('useSession needs a signed-in session')
  return { ...state.session, isAdmin: state.session.user.role === 'admin' }
}
