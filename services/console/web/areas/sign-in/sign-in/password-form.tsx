import { Anchor, Group, Text, TextInput } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { filled } from '../../../parts/form/checks.ts'
import { CurrentPassword } from '../../../parts/form/password-fields.tsx'
import { SendForm } from '../../../parts/form/send-form.tsx'
import { useSend } from '../../../parts/form/use-send.ts'
import { CodeField } from '../../../parts/sign-in/code-field.tsx'
import { useCode } from '../../../parts/sign-in/use-code.ts'
import { signIn } from '../../../session/session.ts'

/** Asks for a one-time code as well, once the API has asked for it. */
export function PasswordForm({ onSubmit }: { onSubmit: () => void }) {
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const { code, setCode, checks, open } = useCode()
  const send = useSend(() => open((sent) => signIn({ email: email.trim(), password, ...sent })), {
    check: () => ({
      email: filled(email, 'Enter your email address.'),
      password: filled(password, 'Enter your password.'),
      ...checks,
    }),
    explain: ({ type }) => (type === 'unauthorized' ? { title: 'Email or password is wrong' } : undefined),
  })
  const changeEmail = (text: string) => {
    setEmail(text)
    setCode(undefined) // another account may have no codes
  }
  return (
    <SendForm
      send={send}
      label="Sign in"
      onSubmit={() => {
        onSubmit()
        send.send(undefined)
      }}
      shownFields={['email', 'password', 'code']}
    >
      <TextInput
        label="Email"
        type="email"
        autoComplete="username"
        {...send.entry('email', email, changeEmail)}
        autoFocus
        required
      />
      <CurrentPassword {...send.entry('password', password, setPassword)} />
      {code !== undefined && <CodeField {...send.entry('code', code, setCode)} autoFocus />}
    </SendForm>
  )
}

export const PasswordLinks = () => (
  <Group justify="space-between" gap="xs">
    <Anchor component={Link} to="/forgot-password" size="sm" underline="always">
      Forgot password?
    </Anchor>
    <Text size="sm">
      No organization yet?{' '}
      <Anchor component={Link} to="/sign-up" underline="always">
        Sign up
      </Anchor>
    </Text>
  </Group>
)
