import { MailLink } from './mail-link.tsx'

export default function ConfirmEmail() {
  return (
    <MailLink
      path="/api/v1/auth/email/confirm"
      title="Confirm your new email address"
      done="You sign in with the new address from now on."
    />
  )
}
