import { createClient } from '@whereabouts/client/client'
import { requestsOf } from '../../session/requests.ts'

/** The API without a session: for people with the token of an invitation or another link. */
export const openApi = requestsOf(createClient({ baseUrl: location.origin }))

/** Browsers do not send the part after `#` to the server, so that no log contains the token. */
export const tokenInAddress = () => new URLSearchParams(location.hash.slice(1)).get('token') ?? ''

export const addressWithToken = (path: string, token: string) => `${location.origin}${path}#token=${token}`
