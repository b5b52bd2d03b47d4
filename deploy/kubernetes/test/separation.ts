import { environments } from './environment.ts'
import { ofKind } from './manifest.ts'
import type { Manifest } from './manifest.ts'

type Installation = { objects: readonly Manifest[]; secrets: readonly Manifest[] }

/** Namespaces, host names, token issuers and secrets that two installations must not share. */
export function sharedBetween(one: Installation, other: Installation): string[] {
  const theirs = new Set(ownedBy(other))
  return ownedBy(one)
    .filter((owned) => theirs.has(owned))
    .map((owned) => `both have ${owned}`)
}

/** Names inside a namespace may be the same. */
const isOutside = (host: string) => host.includes('.') && !host.endsWith('-headless')

function ownedBy({ objects, secrets }: Installation): string[] {
  const hosts = objects.flatMap(({ spec }) => [...(spec?.hostnames ?? []), ...(spec?.dnsNames ?? [])])
  const issuers = [...environments(objects, secrets).values()].flatMap(({ ENVIRONMENT }) => ENVIRONMENT ?? [])
  const values = secrets.flatMap(({ metadata, data = {} }) =>
    Object.entries(data)
      // User names are the same everywhere and not secret. What is empty is not used.
      .filter(([key, value]) => key !== 'username' && value !== '')
      .map(([key, value]) => [`${metadata.name}/${key}`, value] as const),
  )
  return [
    ...ofKind(objects, 'Namespace').map(({ metadata }) => `the namespace ${metadata.name}`),
    ...new Set(hosts.filter(isOutside).map((host) => `the host ${host}`)),
    ...new Set(issuers.map((issuer) => `the environment ${issuer}`)),
    ...values.map(([name, value]) => `the value ${value} of ${name}`),
    ...secrets.map(({ metadata }) => `the Secret ${metadata.namespace}/${metadata.name}`),
    ...ofKind(objects, 'ScaledObject').flatMap(({ spec }) =>
      (spec.triggers ?? []).map(({ metadata }) => `the query ${metadata['query']}`),
    ),
    ...ofKind(objects, 'ObjectStore').map(({ spec }) => `the store ${JSON.stringify(spec.configuration)}`),
  ]
}
