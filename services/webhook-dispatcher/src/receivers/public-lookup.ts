import { promises as dns, type LookupAddress } from 'node:dns'
import type { LookupFunction } from 'node:net'
import { callbackify } from 'node:util'
import { isPublicAddress, TargetRefused } from './address-guard.ts'

/** The part of `dns.promises.Resolver` that a lookup needs. */
export type Resolver = Pick<dns.Resolver, 'resolve4' | 'resolve6'>

/**
 * Asks the name servers of resolv.conf. Not getaddrinfo, because Node calls it on four threads: four names whose
 * servers do not answer would block the lookups of all other organizations (ADR 23). It also uses no search domain
 * and no hosts file, so that `redis` does not resolve to a host of our network.
 */
export const createResolver = (): dns.Resolver => new dns.Resolver({ timeout: 2_000, tries: 2 })

const NO_PUBLIC_ADDRESS = 'the host name does not resolve to public addresses'

/**
 * All addresses of a name. Rejects with TargetRefused if any is not public, because the socket may choose any of
 * them.
 */
export async function publicAddresses(resolver: Resolver, host: string): Promise<LookupAddress[]> {
  const [ipv4, ipv6] = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)])
  const found = [...addressesOf(ipv4, 4), ...addressesOf(ipv6, 6)]
  if (found.length === 0 || !found.every(({ address }) => isPublicAddress(address)))
    throw new TargetRefused(NO_PUBLIC_ADDRESS)
  return found
}

/** Empty if the family has no address or its lookup fails. The other family still counts. */
const addressesOf = (result: PromiseSettledResult<string[]>, family: 4 | 6): LookupAddress[] =>
  result.status === 'fulfilled' ? result.value.map((address) => ({ address, family })) : []

const lookUp = callbackify(publicAddresses)

/** For a socket: it connects to the checked addresses without another lookup, so that a rebound name has no effect. */
export const publicLookup =
  (resolver: Resolver): LookupFunction =>
  (host, options, done) =>
    lookUp(resolver, host, (error, found) => {
      const [first] = found ?? []
      if (error || !first) done(error, '')
      else if (options.all) done(null, found)
      else done(null, first.address, first.family)
    })
