import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { auditEntry, type Actor } from '@whereabouts/contracts/messages/audit'
import type { Changes } from '@whereabouts/contracts/resources/keys/audit'
import { currentTrace } from '@whereabouts/service-kit/observe/trace'
import { enqueueAll, queued, type OpenTransaction, type Queued } from './outbox.ts'

/** What was done: `asset.update`. `changes` without secrets, see `SECRET`. */
export type Act = {
  action: string
  subject: { type: string; id: number | null; external_key?: string | null }
  changes?: Changes
}

/** Instead of the values of a field that must not be shown. */
export const SECRET = { from: null, to: null } as const

/**
 * Messages for `enqueueAll` that tell who did it: the caller of the request, or `guest` if the request needs no credential.
 * Work of loops and consumers has neither, is nobody's act, and has none. Nor has an update of nothing.
 */
export function audited(orgId: number, acts: readonly Act[], guest?: Actor): Queued[] {
  const { requestId = null, caller } = currentTrace() ?? {}
  const actor = caller?.actor ?? guest
  if (!actor) return []
  const at = new Date().toISOString()
  return queued(
    auditEntry,
    acts
      .filter(changesSomething)
      .map(({ action, subject: { type, id, external_key = null }, changes = {} }) => ({
        id: randomUUID(),
        org_id: orgId,
        at,
        actor,
        ip: caller?.ip ?? null,
        request_id: requestId,
        action,
        subject: { type, id, external_key },
        changes,
      })),
  )
}

const changesSomething = ({ action, changes = {} }: Act) =>
  !action.endsWith('.update') || Object.keys(changes).length > 0

/** Records what a request does, in the transaction of the change. See `audited`. */
export const audit = (tx: OpenTransaction, orgId: number, act: Act, guest?: Actor): Promise<void> =>
  enqueueAll(tx, audited(orgId, [act], guest))

type Fields = Readonly<Record<string, unknown>>

/** The fields of `after`, or of `before` if it is gone, that differ. What is absent counts as null. */
export function changesOf(before: Fields | undefined, after: Fields | undefined): Changes {
  const names = Object.keys(after ?? before ?? {})
  const pairs = names.map(
    (name) => [name, { from: before?.[name] ?? null, to: after?.[name] ?? null }] as const,
  )
  return Object.fromEntries(pairs.filter(([, { from, to }]) => !isDeepStrictEqual(from, to)))
}
