import { Email } from '@whereabouts/contracts/resources/keys/tokens'
import { Name } from '@whereabouts/contracts/rules/text'

export type Claims = Readonly<Record<string, unknown>>

/** What the provider says about a person. */
export type Identity = {
  issuer: string
  subject: string
  email: string | undefined
  /** Only the boolean `true` of the standard counts: where a provider sends a text, nobody has checked what it means. */
  emailVerified: boolean
  name: string | undefined
  groups: readonly string[]
}

/** Whether the answer of the userinfo endpoint can add something. */
export const isIncomplete = (idToken: Claims, groupsClaim: string): boolean =>
  textOf(idToken['email']) === undefined ||
  textOf(idToken['name']) === undefined ||
  claimOf(idToken, groupsClaim) === undefined

/** The ID token goes before the answer of the userinfo endpoint. */
export function identityOf(
  idToken: Claims & { iss: string; sub: string },
  userInfo: Claims,
  groupsClaim: string,
): Identity {
  // Address and proof come from one place: together they decide whose account it is.
  const source = textOf(idToken['email']) === undefined ? userInfo : idToken
  return {
    issuer: idToken.iss,
    subject: idToken.sub,
    email: Email.safeParse(source['email']).data,
    emailVerified: source['email_verified'] === true,
    name: nameOf(idToken) ?? nameOf(userInfo),
    groups: groupsOf(claimOf(idToken, groupsClaim) ?? claimOf(userInfo, groupsClaim)),
  }
}

const textOf = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined)

const nameOf = (claims: Claims) =>
  Name.safeParse(claims['name']).data ?? Name.safeParse(claims['preferred_username']).data

/** A claim by its name, which may be an address with dots; otherwise by a path such as `realm_access.roles`. */
const claimOf = (claims: Claims, name: string): unknown =>
  Object.hasOwn(claims, name) ? claims[name] : name.split('.').reduce(memberOf, claims)

const memberOf = (of: unknown, name: string): unknown =>
  typeof of === 'object' && of !== null && Object.hasOwn(of, name) ? (of as Claims)[name] : undefined

/** Some providers send a single group as a text. */
const groupsOf = (value: unknown): string[] =>
  [value].flat().filter((group): group is string => typeof group === 'string')
