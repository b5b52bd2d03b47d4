import { createClient } from '@whereabouts/client/client'
import { accessToken } from './session.ts'

/** A token may have been revoked, or the clock of this machine be wrong: then one more attempt with another token. */
async function fetchAsMember(request: Request): Promise<Response> {
  const again = request.clone()
  const answer = await fetch(request)
  const used = request.headers.get('authorization')?.slice('Bearer '.length)
  if (answer.status !== 401 || used === undefined) return answer
  const other = await accessToken(used)
  if (other === undefined) return answer
  again.headers.set('authorization', `Bearer ${other}`)
  return fetch(again)
}

/** The API as the person who is signed in. Requests wait while they have to sign in again. */
export const api = createClient({
  baseUrl: location.origin,
  getToken: () => accessToken(),
  fetch: fetchAsMember,
})
