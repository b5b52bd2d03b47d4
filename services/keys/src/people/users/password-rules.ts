import { Password, passwordProblem } from '@whereabouts/contracts/resources/keys/tokens'
import { rejectIfAny } from '@whereabouts/service-kit/errors/errors'
import { parsePart } from '@whereabouts/service-kit/http/validate'
import { z } from 'zod'

const NewPassword = z.object({ password: Password })

/** Throws 400 for a new password that breaks D15.2, for routes whose schema cannot check it. */
export function checkNewPassword(password: string, email: string): void {
  parsePart(NewPassword, { password }, 'body')
  refuseEmailAsPassword('password', password, email)
}

/** Throws 400 for a password that equals the e-mail address. `field`: its name in the request. */
export function refuseEmailAsPassword(field: string, password: string, email: string): void {
  const problem = passwordProblem(field, password, email)
  if (problem) rejectIfAny([problem])
}
