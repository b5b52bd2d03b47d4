import { ApiError } from '@whereabouts/client/client'
import type { components } from '@whereabouts/client/client'
import { marked } from './running-exchange.ts'
import { oneTabAtATime } from './turns.ts'

type SessionData = Omit<components['schemas']['Session'], 'refresh_token'>

export type Session = Pick<SessionData, 'user' | 'org'>

/** `expired`: the session ended while the page was open. The sign-in dialog opens over the screen. */
export type SessionState =
  | { status: 'unknown' }
  | { status: 'signed-out' }
  | { status: 'signed-in'; session: Session }
  | { status: 'expired'; session: Session }

type Token = { value: string; validUntil: number }

/** A token that expires this soon is renewed before it is used. */
const EARLY_MS = 60_000

let state: SessionState = { status: 'unknown' }
let token: Token | undefined
let exchange: Promise<void> | undefined
const listeners = new Set<() => void>()
/** Resolves when the person has signed in again. */
let resumed = Promise.withResolvers<void>()
const otherTabs = new BroadcastChannel('whereabouts-session')

export const sessionState = (): SessionState => state

export function onSessionChange(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

function setState(next: SessionState): void {
  state = next
  for (const listener of listeners) listener()
}

/** `keepalive`: the new cookie arrives even if the person leaves or reloads the page meanwhile. */
async function post(action: string, body: unknown): Promise<Response> {
  return fetch(`/session/${action}`, {
    method: 'POST',
    keepalive: true,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
}

async function apiErrorOf(response: Response): Promise<ApiError> {
  const body: unknown = await response.json().catch(() => undefined)
  return new ApiError(response.status, (body as Partial<components['schemas']['Error']> | undefined)?.error)
}

async function readSession(response: Response): Promise<Session> {
  if (!response.ok) throw await apiErrorOf(response)
  const { data } = (await response.json()) as { data: SessionData }
  token = { value: data.access_token, validUntil: Date.now() + data.expires_in * 1000 - EARLY_MS }
  return { user: data.user, org: data.org }
}

const NEVER = new Promise<never>(() => {})

const isSame = (a: Session, b: Session) => a.user.id === b.user.id && a.org.id === b.org.id

/** Continues with the page, or replaces it: its data belongs to another person or organization. */
async function enter(session: Session): Promise<void> {
  if ('session' in state && !isSame(state.session, session)) {
    token = undefined
    location.assign('/')
    return NEVER // nothing of this page may use the new session
  }
  setState({ status: 'signed-in', session })
  resumed.resolve()
  resumed = Promise.withResolvers<void>()
}

async function open(action: string, body: unknown): Promise<void> {
  await enter(await oneTabAtATime(async () => readSession(await post(action, body))))
  otherTabs.postMessage('opened')
}

/** Throws `ApiError`, as all below do. */
export const signIn = (credentials: { email: string; password: string; code?: string; org_id?: number }) =>
  open('sign-in', credentials)

/** Continues a sign-on with the code that it came back with. */
export const signOn = (code: string) => open('sign-on', { code })

export const signUp = (body: { org_name: string; name: string; email: string; password: string }) =>
  open('sign-up', body)

export const acceptInvitation = (body: { token: string; name?: string; password?: string; code?: string }) =>
  open('accept-invitation', body)

/** Reloads the page, because all its data belongs to the previous organization. */
export async function switchOrganization(orgId: number): Promise<void> {
  await oneTabAtATime(async () => readSession(await post('switch', { org_id: orgId })))
  otherTabs.postMessage('left')
  location.assign('/')
}

export async function signOut(leave = () => location.assign('/sign-in')): Promise<void> {
  await oneTabAtATime(async () => {
    const response = await post('sign-out', {})
    if (!response.ok) throw await apiErrorOf(response)
  })
  otherTabs.postMessage('left')
  leave()
}

/** There was no cookie, or it is no longer valid. */
const NO_SESSION: ReadonlySet<number> = new Set([204, 401])

/** Exchanges the cookie for an access token. Concurrent calls share one exchange. */
function renew(): Promise<void> {
  exchange ??= exchangeCookie().finally(() => {
    exchange = undefined
  })
  return exchange
}

async function exchangeCookie(): Promise<void> {
  const session = await oneTabAtATime(async () => {
    const response = await marked(() => post('refresh', {}))
    return NO_SESSION.has(response.status) ? undefined : readSession(response)
  })
  if (session) return enter(session)
  token = undefined
  setState('session' in state ? { status: 'expired', session: state.session } : { status: 'signed-out' })
}

/** Called when the page starts: finds out whether there is a session. */
export function findSession(): Promise<void> {
  addEventListener('pageshow', checkAfterReturn)
  return renew()
}

/**
 * A page that comes back from the back/forward cache may belong to a session that has ended meanwhile. Check with
 * the current token; renewing here would renew once per restored page.
 */
function checkAfterReturn({ persisted }: PageTransitionEvent): void {
  const used = token?.value
  if (!persisted || used === undefined) return
  fetch('/api/v1/users/me', { headers: { authorization: `Bearer ${used}` } })
    .then((response) => (response.status === 401 ? accessToken(used) : undefined))
    .catch(() => undefined) // offline: the next request finds out
}

/** Returns a valid token. `refused` is a token that the API rejected. Waits while the sign-in dialog is open. */
export async function accessToken(refused?: string): Promise<string | undefined> {
  if (refused !== undefined && token?.value === refused) token = undefined
  while (state.status !== 'signed-out') {
    if (token && token.validUntil > Date.now()) return token.value
    if (state.status === 'expired') await resumed.promise
    else await renew()
  }
  return undefined
}

otherTabs.addEventListener('message', (event: MessageEvent<'opened' | 'left'>) => {
  if (event.data === 'opened' && (state.status === 'expired' || state.status === 'signed-out')) void renew()
  if (event.data === 'left' && state.status === 'signed-in') location.assign('/')
})
