import { keyState, KeyState } from '@whereabouts/contracts/messages/keys-state'
import { pick } from '@whereabouts/contracts/rules/fields'
import { enqueue } from '@whereabouts/db/outbox/outbox'
import type { ApiKeyRow, Tx } from '../../db.ts'

const stateNames = KeyState.keyof().options

/** What other services know about a key. Never its secret or the hash. */
export const toKeyState = (key: ApiKeyRow): KeyState => pick(key, stateNames)

/** Call under the lock of the key's row, with the row that the change returned. */
export const enqueueKeyState = (tx: Tx, key: ApiKeyRow): Promise<void> =>
  enqueue(tx, keyState, [toKeyState(key)])
