import { SIGN_ON_CODE, SIGN_ON_HEADER, SIGN_ON_PROBLEM } from '@whereabouts/contracts/resources/keys/sign-on'
import { API_PREFIX, routes } from '@whereabouts/contracts/routes'
import { unknownRoute } from '@whereabouts/service-kit/errors/errors'
import { Reply, type Handlers } from '@whereabouts/service-kit/http/serve'
import type { Logger } from '@whereabouts/service-kit/observe/logging'
import { currentTrace, rootTrace, withTrace } from '@whereabouts/service-kit/observe/trace'
import { hashSecret, NO_STORE, randomToken } from '../../credentials/secrets.ts'
import { invalidSignOnCode, noOrganization } from '../../errors.ts'
import { findFirstMembership } from '../../organizations/members/find-members.queries.ts'
import { lockUser } from '../users/own-sessions.queries.ts'
import { openSession, sessionReply } from '../users/sessions.ts'
import type { UserDeps } from '../users/user-deps.ts'
import { admit } from './admit.ts'
import type { Identity } from './claims.rules.ts'
import type { Provider } from './provider.ts'
import { rolesOf, type GroupRole } from './roles.rules.ts'
import { signOnCookie } from './sign-on-cookie.ts'
import { forbiddenBy, SignOnRefusal } from './sign-on-refusal.ts'
import { secretsOf } from './sign-on-secrets.ts'
import { insertCode, insertSignOn, takeCode, takeSignOn } from './sign-on.queries.ts'

export type SignOn = {
  provider: Provider
  roles: readonly GroupRole[]
  /** Passwords are refused. */
  isRequired: boolean
  /** Of the console. */
  publicUrl: string
}

type Operation = 'describeSignOn' | 'startSignOn' | 'finishSignOn' | 'openSignOnSession'

/** Single sign-on with the operator's OpenID Connect provider (ADR 128). */
export function signOnHandlers(
  deps: UserDeps & { signOn: SignOn | undefined },
): Pick<Handlers<'keys'>, Operation> {
  const { signOn } = deps
  const describeSignOn = async () => ({
    data: { enabled: signOn !== undefined, required: signOn?.isRequired ?? false },
  })
  return signOn ? { describeSignOn, ...withProvider(deps, signOn) } : { describeSignOn, ...WITHOUT_PROVIDER }
}

const missing = (operation: Operation) => async (): Promise<never> => {
  throw unknownRoute(`${API_PREFIX}${routes[operation].path}`)
}
const WITHOUT_PROVIDER = {
  startSignOn: missing('startSignOn'),
  finishSignOn: missing('finishSignOn'),
  openSignOnSession: missing('openSignOnSession'),
}

function withProvider(
  { db, attempts, accessTokens, passwords, onChange }: UserDeps,
  { provider, roles, publicUrl }: SignOn,
): Pick<Handlers<'keys'>, Exclude<Operation, 'describeSignOn'>> {
  const cookie = signOnCookie(new URL(publicUrl).protocol === 'https:')
  // In the fragment, so that no log and no other server sees it.
  const signInScreen = (fields: Record<string, string>) =>
    new URL(`/sign-in#${String(new URLSearchParams(fields))}`, publicUrl)

  async function identify(query: Record<string, string | undefined>, token: string | undefined) {
    if (token === undefined) throw new SignOnRefusal('expired')
    const secrets = secretsOf(token)
    // Another browser started it: somebody may want this one to sign in as them.
    if (query['state'] !== secrets.state) throw new SignOnRefusal('expired')
    if (!(await takeSignOn(db, hashSecret(token)))) throw new SignOnRefusal('expired')
    const sent = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined)
    return provider.identify(new URLSearchParams(sent), secrets)
  }

  /** Returns the code with which the console opens the session. */
  async function admitted(identity: Identity, browserToken: string, log: Logger): Promise<string> {
    const code = randomToken()
    const { missingOrgs, keptAdminOf } = await db.transaction().execute(async (tx) => {
      const person = await admit(tx, identity, rolesOf(identity.groups, roles), passwords.none())
      const hashes = { codeHash: hashSecret(code), browserHash: hashSecret(browserToken) }
      await insertCode(tx, { ...hashes, userId: person.userId })
      return person
    })
    onChange()
    if (missingOrgs.length > 0)
      log.warn({ orgs: missingOrgs }, 'OIDC_ROLES names organizations that do not exist')
    if (keptAdminOf.length > 0) log.warn({ orgs: keptAdminOf }, 'sign-on kept the last administrator')
    return code
  }

  return {
    async startSignOn({ clientAddress }) {
      await attempts.admit(clientAddress)
      const token = randomToken()
      const address = await provider.addressFor(secretsOf(token))
      await insertSignOn(db, hashSecret(token))
      return sendOn(address, { 'set-cookie': cookie.write(token) })
    },

    async finishSignOn({ query, headers, clientAddress, log }) {
      const token = cookie.read(headers.cookie)
      // Names the address in the audit, as for other methods.
      const trace = { ...(currentTrace() ?? rootTrace()), caller: { ip: clientAddress } }
      return withTrace(trace, async () => {
        let subject: string | undefined
        try {
          const identity = await identify(query, token)
          subject = identity.subject
          return sendOn(signInScreen({ [SIGN_ON_CODE]: await admitted(identity, token ?? '', log) }))
        } catch (error) {
          if (!(error instanceof SignOnRefusal)) throw error
          log.warn({ problem: error.problem, subject, err: error.cause }, 'sign-on refused')
          const screen = signInScreen({ [SIGN_ON_PROBLEM]: error.problem })
          const forbidden = forbiddenBy(error, screen)
          if (forbidden) throw forbidden
          return sendOn(screen)
        }
      })
    },

    async openSignOnSession({ body, headers, clientAddress }) {
      // The console sends what its browser has. A program has no cookie that another site could make use of.
      const browser = headers[SIGN_ON_HEADER]?.toString()
      const browserHash = browser === undefined ? undefined : hashSecret(browser)
      await accessTokens.prepare()
      const session = await db.transaction().execute(async (tx) => {
        const userId = await takeCode(tx, hashSecret(body.code), browserHash)
        if (userId === undefined) return 'refused'
        await lockUser(tx, userId) // a new password ends this session too, or comes first
        const member = await findFirstMembership(tx, userId)
        return member && openSession(tx, member.org_id, userId, 'single_sign_on')
      })
      if (session === 'refused') {
        await attempts.failed(clientAddress) // anybody can make up codes
        throw invalidSignOnCode()
      }
      if (!session) throw noOrganization() // removed in between
      onChange()
      return sessionReply(accessTokens, session)
    },
  }
}

const sendOn = (address: URL, headers: Record<string, string> = {}) =>
  new Reply(undefined, { ...NO_STORE, location: address.href, ...headers })
