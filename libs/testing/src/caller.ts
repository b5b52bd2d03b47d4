import { generateKeyPairSync } from 'node:crypto'
import type { Principal } from '@whereabouts/contracts/principal'
import type { Upstream } from '@whereabouts/contracts/route'
import { PRINCIPAL_HEADER } from '@whereabouts/contracts/principal'
import {
  gatewayVerifier,
  principalPrivateKey,
  principalVerifier,
  signGateway,
  signPrincipal,
  type PrincipalVerifier,
} from '@whereabouts/service-kit/http/principal'

export type Caller = Partial<Principal> & { orgId: number }

/**
 * A gateway's key pair for a service under test. `verify` goes into `buildApp`. `headersFor` makes the headers of a
 * request that the gateway forwards for a caller, `gatewayHeaders` those of a request of the gateway itself.
 */
export function testCallers(service: Upstream = 'catalog'): {
  verify: PrincipalVerifier
  verifyGateway(token: string): Promise<boolean>
  headersFor(caller: Caller): Promise<Record<string, string>>
  gatewayHeaders(audience?: Upstream): Promise<Record<string, string>>
} {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  return {
    verify: principalVerifier([publicKey], service),
    verifyGateway: gatewayVerifier([publicKey], service),
    async headersFor(caller) {
      const principal: Principal = { kind: 'session', scopes: [], userId: 1, role: 'admin', ...caller }
      const token = await signPrincipal(privateKey, principal, inTenMinutes(), service)
      return { [PRINCIPAL_HEADER]: token, 'content-type': 'application/json' }
    },
    async gatewayHeaders(audience = service) {
      return { [PRINCIPAL_HEADER]: await signGateway(privateKey, inTenMinutes(), audience) }
    },
  }
}

const inTenMinutes = () => Math.floor(Date.now() / 1000) + 600

/** The headers of a request that the gateway with this seed forwards for a caller. Valid for ten minutes. */
export async function headersSignedWith(
  seed: string,
  principal: Principal,
  service: Upstream,
): Promise<Record<string, string>> {
  const token = await signPrincipal(principalPrivateKey(seed), principal, inTenMinutes(), service)
  return { [PRINCIPAL_HEADER]: token }
}
