import { Alert } from '@mantine/core'
import { ApiError } from '@whereabouts/client/client'
import { FailureNotice } from '../../../parts/load/failure-notice.tsx'
import { SignOnButton } from '../../../parts/sign-in/sign-on-button.tsx'

const EXPIRED = 'It took too long, or started in another window. Try again.'
const FAILED = 'The answer of the sign-on provider is not valid. Ask the operator of this server.'

/** Only these texts are shown: anybody can make a link to this page. */
const PROBLEMS: Readonly<Record<string, string>> = {
  expired: EXPIRED,
  refused: 'The sign-on provider did not let you in. Try again, or ask the operator of the provider.',
  unavailable: 'The sign-on provider does not answer. Try again in a minute.',
  failed: FAILED,
  no_access: 'You are in no group that may sign in here. Ask an administrator to add you to one.',
  no_address: 'The sign-on provider did not send your email address. Ask the operator of this server.',
  address_taken:
    'An account has your email address, but nobody has confirmed it. Sign in with the password, confirm the address under Account, and then use single sign-on.',
  address_unverified:
    'An account has your email address, but the sign-on provider has not verified it. Ask the operator of the provider.',
}
/** Where there are no passwords. */
const TAKEN =
  'An account has your email address, but nobody has confirmed it. Open the link in the mail that asks you to, or ask the operator of this server.'

function textOf(problem: string, isRequired: boolean): string {
  if (isRequired && problem === 'address_taken') return TAKEN
  return PROBLEMS[problem] ?? FAILED
}

type Props = { isRequired: boolean; problem: string | null; error: unknown }

/** `problem` and `error`: why the last sign-on did not work. */
export function SignOn({ isRequired, problem, error }: Props) {
  const text = isExpired(error) ? EXPIRED : problem === null ? undefined : textOf(problem, isRequired)
  return (
    <>
      {text !== undefined && (
        <Alert color="red" role="alert" variant="light" title="Single sign-on did not work">
          {text}
        </Alert>
      )}
      {text === undefined && error !== undefined && <FailureNotice error={error} />}
      <SignOnButton isMain={isRequired} />
    </>
  )
}

/** The code of a sign-on works for a minute, in one browser. */
const isExpired = (error: unknown) => error instanceof ApiError && error.status === 401
