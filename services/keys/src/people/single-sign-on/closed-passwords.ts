import type { Handlers } from '@whereabouts/service-kit/http/serve'
import { passwordsClosed } from '../../errors.ts'

const refuse = async (): Promise<never> => {
  throw passwordsClosed()
}

/** Instead of their handlers where single sign-on is the only way in. */
export const closedPasswords = {
  signUp: refuse,
  logIn: refuse,
  acceptInvitation: refuse,
  createResetLink: refuse,
  forgotPassword: refuse,
  resetPassword: refuse,
} satisfies Partial<Handlers<'keys'>>
