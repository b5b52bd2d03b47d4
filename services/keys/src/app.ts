import { JWKS_PATH } from '@whereabouts/contracts/resources/keys/token-claims'
import { sharedBuckets, type SharedBuckets } from '@whereabouts/db/buckets/shared-buckets'
import { returnToken, takeToken, type Rate } from '@whereabouts/db/buckets/token-bucket'
import type { Pipeline } from '@whereabouts/db/tenant/pipeline'
import { countedLog } from '@whereabouts/service-kit/observe/counted-log'
import { FairGate } from '@whereabouts/service-kit/limits/fair-gate'
import type { Logger } from '@whereabouts/service-kit/observe/logging'
import type { Registry } from '@whereabouts/service-kit/observe/metrics'
import type { PrincipalVerifier } from '@whereabouts/service-kit/http/principal'
import { serve } from '@whereabouts/service-kit/http/serve'
import { createServer } from '@whereabouts/service-kit/http/server'
import type { FastifyInstance } from 'fastify'
import { apiKeyHandlers } from './credentials/api-keys/api-keys.handlers.ts'
import { auditHandlers } from './organizations/audit/audit.handlers.ts'
import { createAttempts } from './attempts/attempts.ts'
import { createKnownDevices, type KnownDevices } from './attempts/known-devices.ts'
import { createWaitingRoom } from './attempts/waiting-room.ts'
import { deletionHandlers } from './credentials/deletion/deletion.handlers.ts'
import { legacyKeyHandlers } from './credentials/keys.legacy.ts'
import { serveInternal, type InternalDeps } from './internal.ts'
import { acceptanceHandler } from './people/invitations/acceptance.ts'
import { invitationHandlers } from './people/invitations/invitations.handlers.ts'
import { createMails, type Mails } from './people/mail/mails.ts'
import { mailboxHandlers } from './people/mailboxes/mailboxes.handlers.ts'
import { memberHandlers } from './organizations/members/members.handlers.ts'
import { limitHandlers } from './limits/limits.handlers.ts'
import type { UsageElsewhere } from './limits/usage.queries.ts'
import { organizationExportHandlers } from './organizations/organization/export.handlers.ts'
import { organizationHandlers } from './organizations/organization/organization.handlers.ts'
import { orgHandlers } from './organizations/orgs/orgs.handlers.ts'
import { refuseOtherOrganizations } from './organizations/orgs/own-organization.ts'
import { passwordResetHandlers } from './people/password-resets/password-resets.handlers.ts'
import { closedPasswords } from './people/single-sign-on/closed-passwords.ts'
import { signOnHandlers, type SignOn } from './people/single-sign-on/single-sign-on.handlers.ts'
import { provisioningHandlers } from './credentials/provisioning/provisioning.handlers.ts'
import { createAccessTokens } from './credentials/tokens/access-tokens.ts'
import { createSigningKeys, type SigningKeys } from './credentials/tokens/signing-keys.ts'
import { createThrottle } from './credentials/tokens/throttle.ts'
import { tokenHandlers } from './credentials/tokens/tokens.handlers.ts'
import { ownSessionHandlers } from './people/users/own-sessions.handlers.ts'
import { createPasswords } from './people/users/passwords.ts'
import { secondFactorHandlers } from './people/second-factor/second-factor.handlers.ts'
import { createSecondFactors, type SecondFactors } from './people/second-factor/second-factors.ts'
import { userHandlers } from './people/users/users.handlers.ts'

type AppDeps = InternalDeps & {
  mails: Mails
  log: Logger
  registry: Registry
  verify: PrincipalVerifier
  signingKeys: SigningKeys
  environment: string
  /** Undefined without a provider. */
  signOn: SignOn | undefined
  buckets: SharedBuckets
  devices: KnownDevices
  secondFactors: SecondFactors
  /** Attempts of one client address to sign in, sign up or join. */
  addressRate: Rate
  /** Milliseconds since 1970. */
  now: () => number
  /** Called after each commit that filled the outbox. */
  onChange: () => void
  usageElsewhere: UsageElsewhere
}

/** Two hashes at a time leave threads and cores to other work. */
const PASSWORD_GATE = { running: 2, runningPerKey: 2, waitingPerKey: 5, waiting: 200, maxWaitMs: 10_000 }

type Deps = Omit<AppDeps, 'signingKeys' | 'buckets' | 'devices' | 'mails' | 'secondFactors'> & {
  /** Where links in mails lead; undefined if no mail is sent. */
  consoleUrl: string | undefined
  /** Takes and returns tokens of the rate buckets. */
  bucketDatabase: Pick<Pipeline, 'query'>
  /** Encrypts the signing keys and the secrets of one-time codes at rest, proves known devices, and makes the tokens of mails. 32 bytes. */
  signingKeySecret: Buffer
}

/** The API of keys, which does not listen yet, and what it shares with loops and tests. */
export function wire({ bucketDatabase, signingKeySecret: secret, consoleUrl, ...deps }: Deps) {
  const { db, log, now } = deps
  const signingKeys = createSigningKeys({ db, secret, now })
  const buckets = sharedBuckets({
    takeShared: (bucket, rate) => takeToken(bucketDatabase, bucket, rate),
    returnShared: (bucket, rate) => returnToken(bucketDatabase, bucket, rate),
    log,
  })
  const devices = createKnownDevices({ secret, now })
  const mails = createMails({ consoleUrl, secret })
  const secondFactors = createSecondFactors({ secret, now })
  return {
    app: buildApp({ ...deps, signingKeys, buckets, devices, mails, secondFactors }),
    signingKeys,
    buckets,
    devices,
    mails,
    secondFactors,
  }
}

export function buildApp(deps: AppDeps): FastifyInstance {
  const app = createServer(deps)
  const accessTokens = createAccessTokens(deps)
  const throttle = createThrottle(deps)
  const refusals = countedLog((fields) => deps.log.warn(fields, 'attempts refused'))
  app.addHook('onClose', async () => refusals.close())
  const onRefusal = (address: string) => refusals.count(address, { address })
  const attempts = createAttempts({ ...deps, room: createWaitingRoom(), onRefusal })
  const gate = new FairGate({ ...PASSWORD_GATE, onRefusal })
  const passwords = createPasswords((source, work) => gate.run(source, work))
  const userDeps = { ...deps, attempts, accessTokens, passwords }
  refuseOtherOrganizations(app)
  const inBoth = {
    ...tokenHandlers({ ...deps, throttle, attempts, accessTokens }),
    ...orgHandlers(deps),
    ...apiKeyHandlers(deps),
  }
  serve(app, 'keys', {
    verify: deps.verify,
    handlers: {
      ...inBoth,
      ...legacyKeyHandlers(inBoth),
      ...userHandlers(userDeps),
      ...signOnHandlers(userDeps),
      ...ownSessionHandlers(userDeps),
      ...passwordResetHandlers(userDeps),
      ...mailboxHandlers(userDeps),
      ...secondFactorHandlers(userDeps),
      ...provisioningHandlers(userDeps),
      ...acceptanceHandler(userDeps),
      ...memberHandlers(deps),
      ...invitationHandlers({ ...deps, attempts }),
      ...organizationHandlers(deps),
      ...organizationExportHandlers(deps),
      ...deletionHandlers(deps),
      ...limitHandlers(deps),
      ...auditHandlers(deps),
      ...(deps.signOn?.isRequired && closedPasswords),
    },
  })
  serveJwks(app, deps.signingKeys)
  serveInternal(app, deps)
  return app
}

/** The public keys that verify access tokens. Not in the route table, because it is outside `/api/v1`. */
function serveJwks(app: FastifyInstance, signingKeys: SigningKeys): void {
  app.get(JWKS_PATH, { config: { operationId: 'getJwks' } }, async (_request, reply) =>
    reply
      .header('cache-control', 'public, max-age=60')
      .header('content-type', 'application/json')
      .send({ keys: await signingKeys.publicKeys() }),
  )
}
