import { MailLink } from './mail-link.tsx'

export default function VerifyEmail() {
  return (
    <MailLink
      path="/api/v1/auth/verify"
      title="Confirm your email address"
      done="Your email address is confirmed."
    />
  )
}
