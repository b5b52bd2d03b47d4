import { PasswordInput, type PasswordInputProps } from '@mantine/core'
import { MIN_PASSWORD } from './checks.ts'

type Props = {
  label?: string
  value: string
  onText: (value: string) => void
  error: string | undefined
} & Pick<PasswordInputProps, 'autoFocus'>

/** For the password that a person has. */
export const CurrentPassword = ({ label = 'Password', onText, ...props }: Props) => (
  <PasswordInput
    label={label}
    autoComplete="current-password"
    onChange={({ currentTarget }) => onText(currentTarget.value)}
    required
    {...props}
  />
)

/** For a password that a person chooses. Says the rule before something is typed. */
export const NewPassword = ({ label = 'Password', onText, ...props }: Props) => (
  <PasswordInput
    label={label}
    description={`At least ${MIN_PASSWORD} characters`}
    autoComplete="new-password"
    onChange={({ currentTarget }) => onText(currentTarget.value)}
    required
    {...props}
  />
)
