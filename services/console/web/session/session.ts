import { ApiError } from '@whereabouts/client/client'
import type { components } from '@whereabouts/client/client'

type Opened = Omit<components['schemas']['Session'], 'refresh_token'>

export type Session = Pick<Opened, 'user' | 'org'>

/** `expired`: the person was signed in on this page, and signs in again over what they were doing. */
export type SessionState =
  | { status: 'unknown' }
  | { status: 'signed-out' }
  | { status: 'signed-in'; session: Session }
  | { status: 'expired'; session: Session }

type Token = { value: string; goodUntil: number }

/** A token this close to its end is exchanged before it is used. */
const EARLY_MS = 60_000
const LOCK = 'whereabouts-session'

/**
 * Of all tabs one exchanges the cookie at a time: what is in it is good for one use. Browsers have locks over HTTPS and on
 * this machine; elsewhere two tabs that renew in the same moment end the session.
 */
const oneTabAtATime = <T>(work: () => Promise<T>): Promise<T> =>
  isSecureContext ? navigator.locks.request(LOCK, work) : work()

let state: SessionState = { status: 'unknown' }
let token: Token | undefined
let exchange: Promise<void> | undefined
const listeners = new Set<() => void>()
/** Waiting for the person to sign in again. */
let resumed = Promise.withResolvers<void>()
const otherTabs = new BroadcastChannel('whereabouts-session')

export const sessionState = (): SessionState => state

export function onSessionChange(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

function become(next: SessionState): void {
  state = next
  for (const listener of listeners) listener()
}

async function ask(action: string, body: unknown): Promise<Response> {
  return fetch(`/session/${action}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
}

async function failure(answer: Response): Promise<ApiError> {
  const body: unknown = await answer.json().catch(() => undefined)
  return new ApiError(answer.status, (body as Partial<components['schemas']['Error']> | undefined)?.error)
}

async function opened(answer: Response): Promise<Session> {
  if (!answer.ok) throw await failure(answer)
  const { data } = (await answer.json()) as { data: Opened }
  token = { value: data.access_token, goodUntil: Date.now() + data.expires_in * 1000 - EARLY_MS }
  return { user: data.user, org: data.org }
}

const isSame = (a: Session, b: Session) => a.user.id === b.user.id && a.org.id === b.org.id

/** Goes on with what the page shows, or loads it anew where it belongs to somebody else. */
function enter(session: Session): void {
  const before = state
  if (before.status === 'expired' && !isSame(before.session, session)) {
    location.assign('/')
    return
  }
  become({ status: 'signed-in', session })
  resumed.resolve()
  resumed = Promise.withResolvers<void>()
}

async function open(action: string, body: unknown): Promise<void> {
  enter(await oneTabAtATime(async () => opened(await ask(action, body))))
  otherTabs.postMessage('opened')
}

/** Throws `ApiError`, as all below do. */
export const signIn = (credentials: { email: string; password: string }) => open('sign-in', credentials)

export const signUp = (body: { org_name: string; name: string; email: string; password: string }) =>
  open('sign-up', body)

export const acceptInvitation = (body: { token: string; name?: string; password?: string }) =>
  open('accept-invitation', body)

/** The page is loaded anew: everything on it belongs to the organization that was left. */
export async function switchOrganization(orgId: number): Promise<void> {
  await oneTabAtATime(async () => opened(await ask('switch', { org_id: orgId })))
  otherTabs.postMessage('left')
  location.assign('/')
}

export async function signOut(): Promise<void> {
  await oneTabAtATime(async () => {
    const answer = await ask('sign-out', {})
    if (!answer.ok) throw await failure(answer)
  })
  otherTabs.postMessage('left')
  location.assign('/sign-in')
}

/** Exchanges the cookie for an access token, once for all who ask meanwhile. */
function renew(): Promise<void> {
  exchange ??= oneTabAtATime(async () => {
    const answer = await ask('refresh', {})
    if (answer.status !== 401) enter(await opened(answer))
    else {
      token = undefined
      become('session' in state ? { status: 'expired', session: state.session } : { status: 'signed-out' })
    }
  }).finally(() => {
    exchange = undefined
  })
  return exchange
}

/** Finds out at the start of the page whether there is a session; also after a failure, when asked again. */
export const findSession = (): Promise<void> => renew()

/** `refused` is a token that was not accepted: another one is needed. Waits while the person has to sign in again. */
export async function accessToken(refused?: string): Promise<string | undefined> {
  if (refused !== undefined && token?.value === refused) token = undefined
  while (state.status !== 'signed-out') {
    if (token && token.goodUntil > Date.now()) return token.value
    if (state.status === 'expired') await resumed.promise
    else await renew()
  }
  return undefined
}

otherTabs.addEventListener('message', (event: MessageEvent<'opened' | 'left'>) => {
  if (event.data === 'opened' && (state.status === 'expired' || state.status === 'signed-out')) void renew()
  if (event.data === 'left' && state.status === 'signed-in') location.assign('/')
})
