import { useSyncExternalStore } from 'react'
import { onSessionChange, sessionState, type Session, type SessionState } from './session.ts'

export const useSessionState = (): SessionState => useSyncExternalStore(onSessionChange, sessionState)

/** The signed-in person and organization. Only below `Frame`, which renders for signed-in people only. */
export function useSession(): Session & { isAdmin: boolean; canWrite: boolean } {
  const state = useSessionState()
  if (!('session' in state)) throw new Error('useSession needs a signed-in session')
  const { role } = state.session.user
  return { ...state.session, isAdmin: role === 'admin', canWrite: role === 'admin' || role === 'member' }
}
