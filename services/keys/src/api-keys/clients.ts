import { Uuid } from '@whereabouts/contracts/ids'
import type { Db } from '../db.ts'
import { secretMatches } from '../secrets.ts'
import { findKeyByJti, type UsableKey } from './api-keys.queries.ts'

/** A well-formed id that no key has, so that a malformed one costs the same look-up as an unknown one. */
const NO_CLIENT = '00000000-0000-0000-0000-000000000000'

/**
 * The key behind client credentials; undefined when they are wrong in any way. Every way takes the same steps: one
 * look-up, one digest, one comparison in constant time.
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
