import type { FastifyRequest } from 'fastify'
import { createHash } from 'node:crypto'
import type { Principal } from '@whereabouts/contracts/principal'
import { AppError } from '../../errors/app-error.ts'
import { validationFailed } from '../../errors/errors.ts'
import { requestedPath } from '../error-handler.ts'

/**
 * Requests that a client may repeat without a second effect (D12.8). The service that makes the change keeps its answer in the
 * same transaction (`libs/db/src/answers`), under the name that the client gave in `Idempotency-Key`.
 */

export const IDEMPOTENCY_KEY = 'idempotency-key'
/** Header of an answer that was kept. */
export const REPLAYED = { 'idempotent-replayed': 'true' } as const

/** A request that its caller has named. Another caller has other names. */
export type KeyedRequest = {
  orgId: number
  /** The API key or the user. */
  caller: string
  key: string
  /** Of method, path, query and the bytes of the body. */
  fingerprint: string
}

/** The answer to an earlier request of the same name: its body and headers. */
export class AnsweredBefore extends Error {
  readonly body: unknown
  readonly headers: Readonly<Record<string, string>>
  constructor(body: unknown, headers: Readonly<Record<string, string>>) {
    super('answered before')
    this.body = body
    this.headers = headers
  }
}

/** A refusal of the name, not of the request. It is not kept. */
export class NameRefused extends AppError {
  constructor(detail: string, headers: Record<string, string> = {}) {
    super('conflict', detail, { headers })
  }
}

export const usedForAnother = () => new NameRefused('Idempotency-Key was used with another request')
export const stillRunning = () =>
  new NameRefused('A request with this Idempotency-Key is running', { 'retry-after': '1' })

/** Where a service keeps the answers. */
export type AnswerKeeper = {
  /** Throws `AnsweredBefore`, or the refusal that was the answer, or `usedForAnother`. */
  answer(request: KeyedRequest): Promise<void>
  /** Keeps a refusal, which has no transaction of its own. Never rejects. */
  keepRefusal(request: KeyedRequest, refusal: AppError): Promise<void>
}

/** The name of a request, if its caller gave one. Throws 400 for an unusable one. */
export function keyedRequest(request: FastifyRequest, principal: Principal): KeyedRequest | undefined {
  const key = request.headers[IDEMPOTENCY_KEY]
  if (key === undefined) return undefined
  if (typeof key !== 'string' || !/^[\x20-\x7e]{1,255}$/.test(key)) throw validationFailed([UNUSABLE])
  const { orgId, keyId, userId } = principal
  const caller = keyId === undefined ? `user ${userId}` : `key ${keyId}`
  return { orgId, caller, key, fingerprint: fingerprintOf(request) }
}

const UNUSABLE = {
  field: 'Idempotency-Key',
  code: 'invalid_value',
  message: 'Idempotency-Key must be 1 to 255 printable ASCII characters',
} as const

function fingerprintOf(request: FastifyRequest): string {
  const at = request.url.indexOf('?')
  const query = at === -1 ? '' : request.url.slice(at)
  return createHash('sha256')
    .update(JSON.stringify([request.method, requestedPath(request), query]))
    .update((request.body as Buffer | undefined) ?? '')
    .digest('base64url')
}

/** Whether a refusal is kept: neither one of the caller, nor of the name, nor one that is kept already. */
export const isKept = (error: AppError): boolean =>
  error.status < 500 &&
  !NOT_KEPT.has(error.status) &&
  !(error instanceof NameRefused) &&
  !('idempotent-replayed' in error.headers)
const NOT_KEPT: ReadonlySet<number> = new Set([401, 403, 429])
