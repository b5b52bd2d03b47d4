import { Anchor, Radio, Stack, TextInput } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { atMost, filled, firstOf, newPassword } from '../../../parts/form/checks.ts'
import { CurrentPassword, NewPassword } from '../../../parts/form/password-fields.tsx'
import { SendForm } from '../../../parts/form/send-form.tsx'
import { useSend } from '../../../parts/form/use-send.ts'
import { CodeField } from '../../../parts/sign-in/code-field.tsx'
import { useCode } from '../../../parts/sign-in/use-code.ts'
import { acceptInvitation } from '../../../session/session.ts'
import type { Invitation } from './invitation-text.tsx'

type Props = { token: string; invitation: Invitation; onJoined: () => void }

const WHO = { new: 'I am new', account: 'I have an account with this email address' } as const
type Who = keyof typeof WHO

/**
 * For people who are not signed in. They say whether they have an account: the page does not know, because it must not
 * tell that to somebody who invites a foreign address and opens the link.
 */
export function JoinAsGuest({ token, invitation: { email }, onJoined }: Props) {
  const [who, setWho] = useState<Who>('new')
  const [name, setName] = useState('')
  const [password, setPassword] = useState('')
  const { code, setCode, checks, open } = useCode()
  const isNew = who === 'new'
  const join = (sent: { code?: string }) =>
    acceptInvitation({ token, password, ...(isNew && { name: name.trim() }), ...sent })
  const send = useSend(() => open(join), {
    check: () => ({
      ...(isNew
        ? {
            name: firstOf(filled(name, 'Enter your name.'), atMost(name, 255)),
            password: newPassword(password, email),
          }
        : { password: filled(password, 'Enter your password.') }),
      ...checks,
    }),
    explain: ({ detail }) => whyNot(detail),
    onDone: (isJoined) => isJoined && onJoined(),
  })
  return (
    <SendForm send={send} label="Join" shownFields={[...(isNew ? ['name'] : []), 'password', 'code']}>
      <TextInput label="Email" type="email" value={email} autoComplete="username" readOnly />
      <Radio.Group
        label="Who you are"
        value={who}
        onChange={(value) => setWho(value === 'new' ? 'new' : 'account')}
      >
        <Stack gap="xs" mt={4}>
          {Object.entries(WHO).map(([value, label]) => (
            <Radio key={value} value={value} label={label} />
          ))}
        </Stack>
      </Radio.Group>
      {isNew ? (
        <>
          <TextInput label="Your name" autoComplete="name" {...send.entry('name', name, setName)} required />
          <NewPassword {...send.entry('password', password, setPassword)} />
        </>
      ) : (
        <>
          <CurrentPassword {...send.entry('password', password, setPassword)} />
          <Anchor component={Link} to="/forgot-password" size="sm" underline="always">
            Forgot password?
          </Anchor>
        </>
      )}
      {code !== undefined && <CodeField {...send.entry('code', code, setCode)} autoFocus />}
    </SendForm>
  )
}

/** The failures of `acceptInvitation` that are not of a field. */
function whyNot(detail: string): { title: string; detail?: string } | undefined {
  if (detail === 'Invalid email or password')
    return {
      title: 'The password or your choice is wrong',
      detail: 'If you have an account, give its password. If you have none, choose “I am new”.',
    }
  if (detail === 'Invalid or expired invitation')
    return {
      title: 'This invitation does not work any more',
      detail: 'It was used, has expired or was withdrawn.',
    }
  return undefined
}
