import { Password, passwordProblem } from '@whereabouts/contracts/tokens'
import { rejectIfAny } from '@whereabouts/service-kit/errors'
import { parsePart } from '@whereabouts/service-kit/validate'
import { z } from 'zod'

const NewPassword = z.object({ password: Password })

/** Throws 400 for a new password that breaks a rule of D15.2, where the schema of the route could not look. */
export function checkNewPassword(password: string, email: string): void {
  parsePart(NewPassword, { password }, 'body')
  refuseEmailAsPassword('password', password, email)
}

/** Throws 400 for a password that is the address it belongs to. `field`: as the caller names it. */
export function refuseEmailAsPassword(field: string, password: string, email: string): void {
  const problem = passwordProblem(field, password, email)
  if (problem) rejectIfAny([problem])
}
