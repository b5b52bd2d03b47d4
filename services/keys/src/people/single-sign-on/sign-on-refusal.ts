import type { SignOnProblem } from '@whereabouts/contracts/resources/keys/sign-on'

/** A sign-on that ends without a session. The sign-in screen says why; `cause` is only logged. */
export class SignOnRefusal extends Error {
  override readonly name = 'SignOnRefusal'
  readonly problem: SignOnProblem

  constructor(problem: SignOnProblem, cause?: unknown) {
    super(`sign-on: ${problem}`, { cause })
    this.problem = problem
  }
}
