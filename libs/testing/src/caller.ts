import { generateKeyPairSync } from 'node:crypto'
import type { Principal } from '@whereabouts/contracts/principal'
import { PRINCIPAL_HEADER } from '@whereabouts/contracts/principal'
import {
  principalPrivateKey,
  principalVerifier,
  signPrincipal,
  type PrincipalVerifier,
} from '@whereabouts/service-kit/principal'

export type Caller = Partial<Principal> & { orgId: number }

/**
 * A gateway's key pair for a service under test: `verify` goes into `buildApp`, `headersFor` makes the headers with
 * which the gateway would pass a caller on.
 */
export function testCallers(): {
  verify: PrincipalVerifier
  headersFor(caller: Caller): Promise<Record<string, string>>
} {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  return {
    verify: principalVerifier([publicKey]),
    async headersFor(caller) {
      const principal: Principal = { kind: 'session', scopes: [], userId: 1, role: 'admin', ...caller }
      const token = await signPrincipal(privateKey, principal, Math.floor(Date.now() / 1000) + 600)
      return { [PRINCIPAL_HEADER]: token, 'content-type': 'application/json' }
    },
  }
}

/** The headers with which the gateway whose key has this seed passes a caller on; good for ten minutes. */
export async function headersSignedWith(seed: string, principal: Principal): Promise<Record<string, string>> {
  const expiresAt = Math.floor(Date.now() / 1000) + 600
  return { [PRINCIPAL_HEADER]: await signPrincipal(principalPrivateKey(seed), principal, expiresAt) }
}
