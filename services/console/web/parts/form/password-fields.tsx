import { PasswordInput, type PasswordInputProps } from '@mantine/core'
import { MIN_PASSWORD } from './checks.ts'

type Props = Pick<PasswordInputProps, 'label' | 'value' | 'onChange' | 'error' | 'autoFocus'>

/** For the password that a person has. */
export const CurrentPassword = (props: Props) => (
  <PasswordInput label="Password" autoComplete="current-password" required {...props} />
)

/** For a password that a person chooses. Says the rule before something is typed. */
export const NewPassword = (props: Props) => (
  <PasswordInput
    label="Password"
    description={`At least ${MIN_PASSWORD} characters`}
    autoComplete="new-password"
    required
    {...props}
  />
)
