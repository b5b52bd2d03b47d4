import { Anchor, Text, TextInput } from '@mantine/core'
import { Link, Navigate } from '@tanstack/react-router'
import { useState } from 'react'
import { atMost, email, filled, firstOf, newPassword } from '../../../parts/form/checks.ts'
import { NewPassword } from '../../../parts/form/password-fields.tsx'
import { SignedOutPage } from '../../../parts/page/signed-out-page.tsx'
import { SendForm } from '../../../parts/form/send-form.tsx'
import { useSend } from '../../../parts/form/use-send.ts'
import { signUp } from '../../../session/session.ts'
import { useSessionState } from '../../../session/use-session.ts'

const FIELDS = [
  { name: 'org_name', label: 'Organization', type: 'text', autoComplete: 'organization' },
  { name: 'name', label: 'Your name', type: 'text', autoComplete: 'name' },
  { name: 'email', label: 'Email', type: 'email', autoComplete: 'username' },
] as const

const TAKEN = {
  title: 'This email address already has an account',
  detail: 'Sign in with it, or follow “Forgot password?” on the sign-in page.',
}

/** Creates an organization with its first administrator, then opens Getting started. */
export function SignUp() {
  const [form, setForm] = useState({ org_name: '', name: '', email: '', password: '' })
  const set = (name: keyof typeof form) => (value: string) =>
    setForm((before) => ({ ...before, [name]: value }))
  const send = useSend(
    () =>
      signUp({
        org_name: form.org_name.trim(),
        name: form.name.trim(),
        email: form.email.trim(),
        password: form.password,
      }),
    {
      check: () => ({
        org_name: firstOf(
          filled(form.org_name, 'Enter the name of your organization.'),
          atMost(form.org_name, 255),
        ),
        name: firstOf(filled(form.name, 'Enter your name.'), atMost(form.name, 255)),
        email: email(form.email),
        password: newPassword(form.password, form.email),
      }),
      explain: ({ type }) => (type === 'conflict' ? TAKEN : undefined),
    },
  )
  if (useSessionState().status === 'signed-in') return <Navigate to="/start" replace />
  return (
    <SignedOutPage title="Sign up" lead="Create an organization. You will be its first administrator.">
      <SendForm send={send} label="Create organization" shownFields={Object.keys(form)}>
        {FIELDS.map(({ name, ...field }, at) => (
          <TextInput
            key={name}
            {...field}
            {...send.entry(name, form[name], set(name))}
            autoFocus={at === 0}
            required
          />
        ))}
        <NewPassword {...send.entry('password', form.password, set('password'))} />
      </SendForm>
      <Text size="sm">
        Already have an account?{' '}
        <Anchor component={Link} to="/sign-in" underline="always">
          Sign in
        </Anchor>
      </Text>
    </SignedOutPage>
  )
}
