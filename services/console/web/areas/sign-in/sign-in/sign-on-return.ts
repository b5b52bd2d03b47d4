import { signOn } from '../../../session/session.ts'

/**
 * The fields with which a sign-on comes back. Taken out of the address while scripts start, before anything is
 * requested: the code is a secret, and after a reload it would not work any more.
 */
function takeFields() {
  const fields = new URLSearchParams(location.hash.slice(1))
  const [code, problem] = [fields.get('sign_on'), fields.get('sign_on_problem')]
  if (code !== null || problem !== null)
    history.replaceState(history.state, '', location.pathname + location.search)
  return { code, problem }
}

/** `code` opens a session; `problem` says why there is none. */
export const returned = takeFields()

let opening: Promise<void> | undefined

/** The code works once, so it is sent once, however often a component asks. */
export const openReturned = (code: string): Promise<void> => (opening ??= signOn(code))
