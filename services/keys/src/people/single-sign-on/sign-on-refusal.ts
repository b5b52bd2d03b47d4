import type { SignOnProblem } from '@whereabouts/contracts/resources/keys/sign-on'
import { AppError } from '@whereabouts/service-kit/errors/app-error'
import { NO_STORE } from '../../credentials/secrets.ts'

/** A sign-on that ends without a session. The sign-in screen says why; `cause` is only logged. */
export class SignOnRefusal extends Error {
  override readonly name = 'SignOnRefusal'
  readonly problem: SignOnProblem

  constructor(problem: SignOnProblem, cause?: unknown) {
    super(`sign-on: ${problem}`, { cause })
    this.problem = problem
  }
}

/** Of people whom the provider knows and who may not come in here. */
const FORBIDDEN: Partial<Record<SignOnProblem, string>> = {
  no_access: 'No group of this person has a role here. An administrator can add them to one',
  no_address: 'The sign-on provider sent no email address for this person',
  address_taken: 'An account has this email address, and nobody has confirmed it',
  address_unverified: 'An account has this email address, and the sign-on provider has not verified it',
}

/**
 * 403 for a program; a browser goes on to the sign-in screen, which says why and what to do. Undefined for what may work
 * the next time.
 */
export function forbiddenBy({ problem, cause }: SignOnRefusal, screen: URL): AppError | undefined {
  const detail = FORBIDDEN[problem]
  if (detail === undefined) return undefined
  return new AppError('forbidden', detail, {
    headers: { ...NO_STORE, refresh: `0; url=${screen.href}` },
    cause,
  })
}
