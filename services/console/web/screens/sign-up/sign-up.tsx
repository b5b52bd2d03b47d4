import { Anchor, PasswordInput, Text, TextInput } from '@mantine/core'
import { Link, Navigate } from '@tanstack/react-router'
import { useState } from 'react'
import { SignedOutPage } from '../../parts/signed-out-page.tsx'
import { SendForm } from '../../parts/send-form.tsx'
import { useSend } from '../../parts/use-send.ts'
import { signUp } from '../../session/session.ts'
import { useSessionState } from '../../session/use-session.ts'

const FIELDS = [
  { name: 'org_name', label: 'Organization', type: 'text', autoComplete: 'organization' },
  { name: 'name', label: 'Your name', type: 'text', autoComplete: 'name' },
  { name: 'email', label: 'Email', type: 'email', autoComplete: 'username' },
] as const

/** Creates an organization with its first administrator, then opens Getting started. */
export function SignUp() {
  const [form, setForm] = useState({ org_name: '', name: '', email: '', password: '' })
  const send = useSend(() => signUp(form))
  if (useSessionState().status === 'signed-in') return <Navigate to="/start" replace />
  return (
    <SignedOutPage title="Sign up" lead="Create an organization. You will be its first administrator.">
      <SendForm
        send={send}
        label="Create organization"
        onSubmit={() => send.send(undefined)}
        shownFields={Object.keys(form)}
      >
        {FIELDS.map(({ name, ...field }, at) => (
          <TextInput
            key={name}
            {...field}
            value={form[name]}
            onChange={({ currentTarget: { value } }) => setForm((before) => ({ ...before, [name]: value }))}
            error={send.fields[name]}
            autoFocus={at === 0}
            required
          />
        ))}
        <PasswordInput
          label="Password"
          description="At least 10 characters"
          autoComplete="new-password"
          value={form.password}
          onChange={({ currentTarget: { value } }) => setForm((before) => ({ ...before, password: value }))}
          error={send.fields['password']}
          required
        />
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
