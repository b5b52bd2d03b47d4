import { createClient } from '@whereabouts/client/client'
import { requestsOf } from './requests.ts'
import { accessToken } from './session.ts'

/** Retries once with a new token: the first may be revoked, or the clock of this device wrong. */
async function fetchAsMember(request: Request): Promise<Response> {
  const again = request.clone()
  const response = await fetch(request)
  const used = request.headers.get('authorization')?.slice('Bearer '.length)
  if (response.status !== 401 || used === undefined) return response
  const other = await accessToken(used)
  if (other === undefined) return response
  again.headers.set('authorization', `Bearer ${other}`)
  return fetch(again)
}

/** The API as the signed-in person. Requests wait while the sign-in dialog is open. Only for files; `api` is for the rest. */
export const client = createClient({
  baseUrl: location.origin,
  getToken: () => accessToken(),
  fetch: fetchAsMember,
})

/** As `client`: its operations resolve with the data of the reply. In a component, read with `useRead`. */
export const api = requestsOf(client)
