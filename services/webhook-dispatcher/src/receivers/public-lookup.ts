import { promises as dns, type LookupAddress } from 'node:dns'
import type { LookupFunction } from 'node:net'
import { callbackify } from 'node:util'
import { isPublicAddress, TargetRefused } from './address-guard.ts'

/** As much of `dns.promises.Resolver` as a lookup needs. */
export type Resolver = Pick<dns.Resolver, 'resolve4' | 'resolve6'>

/**
 * Asks the name servers of resolv.conf themselves. Not getaddrinfo, which Node calls on four threads: four names whose
 * servers do not answer would keep all other organizations from being looked up (ADR 23). It also takes names as they
 * are: no search domains, no hosts file, so that `redis` is nobody of our own network.
 */
export const createResolver = (): dns.Resolver => new dns.Resolver({ timeout: 2_000, tries: 2 })

const NO_PUBLIC_ADDRESS = 'the host name does not resolve to public addresses'

/** Every address of a name, or TargetRefused when one of them is not public: which one is used is not up to us. */
export async function publicAddresses(resolver: Resolver, host: string): Promise<LookupAddress[]> {
  const [ipv4, ipv6] = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)])
  const found = [...addressesOf(ipv4, 4), ...addressesOf(ipv6, 6)]
  if (found.length === 0 || !found.every(({ address }) => isPublicAddress(address)))
    throw new TargetRefused(NO_PUBLIC_ADDRESS)
  return found
}

/** One family that is missing, or whose server fails, leaves the other. */
const addressesOf = (answer: PromiseSettledResult<string[]>, family: 4 | 6): LookupAddress[] =>
  answer.status === 'fulfilled' ? answer.value.map((address) => ({ address, family })) : []

const lookUp = callbackify(publicAddresses)

/** For a socket, which connects to what this gives and looks nothing up again: there is no moment to rebind a name in. */
export const publicLookup =
  (resolver: Resolver): LookupFunction =>
  (host, options, done) =>
    lookUp(resolver, host, (error, found) => {
      const [first] = found ?? []
      if (error || !first) done(error, '')
      else if (options.all) done(null, found)
      else done(null, first.address, first.family)
    })
