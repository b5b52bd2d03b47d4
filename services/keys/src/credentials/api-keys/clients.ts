import { Uuid } from '@whereabouts/contracts/rules/ids'
import type { Db } from '../../db.ts'
import { secretMatches } from '../secrets.ts'
import { findKeyByJti, type UsableKey } from './api-keys.queries.ts'

/** An id that no key has. With it, a malformed client id costs the same lookup as an unknown one. */
const NO_CLIENT = '00000000-0000-0000-0000-000000000000'

/**
 * The key of client credentials; undefined if they are wrong in any way. Each case takes the same steps: one lookup,
 * one digest, one comparison in constant time.
 */
export async function findClient(
  db: Db,
  { clientId, clientSecret }: { clientId: string; clientSecret: string },
): Promise<UsableKey | undefined> {
  const jti = Uuid.safeParse(clientId).success ? clientId : NO_CLIENT
  const key = await findKeyByJti(db, jti)
  const matches = secretMatches(clientSecret, key?.secret_hash)
  return matches && key?.is_usable ? key : undefined
}
