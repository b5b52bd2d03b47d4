import type { Db, Tenants, Tx } from '../db.ts'
import { hashSecret, randomToken } from '../secrets.ts'
import { endChain } from './chains.ts'
import { findTokenOrg, lockRefreshToken, replaceRefreshToken, type LockedToken } from './tokens.queries.ts'

export type Rotated<Owner> = { owner: Owner; refreshToken: string; chainId: string }

/**
 * Uses a refresh token once: spends it and returns its successor. Undefined when it must be refused; `replayed` for a
 * spent one that comes again: that ends its whole chain, because either its owner or a thief holds the successor.
 *
 * A token does not name its organization, which is looked up across all of them; the rest happens within it.
 *
 * `findOwner` says, inside the transaction, whom the chain belongs to now; undefined refuses the token unspent, and so
 * does what `approve` throws about a token that is good.
 */
export async function rotateRefreshToken<Owner>(
  { tenants, db }: { tenants: Tenants; db: Db },
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
      await endChain(tx, token.org_id, token.chain_id) // committed: the refusal is no exception
      return 'replayed'
    }
    if (token.is_expired || token.is_revoked) return undefined
    await approve(tx, token, owner)
    await replaceRefreshToken(tx, token, nextHash)
    return { owner, refreshToken, chainId: token.chain_id }
  })
}
