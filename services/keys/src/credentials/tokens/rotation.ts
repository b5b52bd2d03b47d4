import type { Attempts } from '../../attempts/attempts.ts'
import type { Db, Tenants, Tx } from '../../db.ts'
import { hashSecret, randomToken } from '../secrets.ts'
import { endChain } from './chains.ts'
import {
  findTokenOrg,
  lockRefreshToken,
  ownerOf,
  replaceRefreshToken,
  type LockedToken,
} from './tokens.queries.ts'

export type Rotated<Owner> = { owner: Owner; refreshToken: string; chainId: string }

/**
 * Spends a refresh token and returns its successor. Undefined if it must be refused. `replayed` for a token that was
 * spent before: that ends the whole chain, because either the owner or a thief holds the successor.
 *
 * A token does not name its organization, so that is looked up first.
 *
 * `findOwner` returns, inside the transaction, the current owner of the chain. If it returns undefined, or `approve`
 * throws, the token stays unspent.
 */
export async function rotateRefreshToken<Owner>(
  { tenants, db, attempts }: { tenants: Tenants; db: Db; attempts: Pick<Attempts, 'issue'> },
  presented: string,
  findOwner: (tx: Tx, token: LockedToken) => Promise<Owner | undefined> | undefined,
  approve: (tx: Tx, token: LockedToken, owner: Owner) => Promise<void> = async () => undefined,
): Promise<Rotated<Owner> | 'replayed' | undefined> {
  const refreshToken = randomToken()
  const [hash, nextHash] = [hashSecret(presented), hashSecret(refreshToken)]
  const orgId = await findTokenOrg(db, hash)
  if (orgId === undefined) return undefined
  return tenants.transaction(orgId, async (tx) => {
    const token = await lockRefreshToken(tx, hash)
    if (!token) return undefined
    const owner = await findOwner(tx, token)
    if (owner === undefined) return undefined
    if (token.is_spent) {
      await endChain(tx, token.org_id, token.chain_id) // committed, because nothing is thrown
      return 'replayed'
    }
    if (token.is_expired || token.is_revoked) return undefined
    await attempts.issue(ownerOf(token))
    await approve(tx, token, owner)
    await replaceRefreshToken(tx, token, nextHash)
    return { owner, refreshToken, chainId: token.chain_id }
  })
}
