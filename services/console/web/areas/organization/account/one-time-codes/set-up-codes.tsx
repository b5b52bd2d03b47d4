import { Modal, Text, TextInput } from '@mantine/core'
import type { components } from '@whereabouts/client/client'
import { useState } from 'react'
import { filled } from '../../../../parts/form/checks.ts'
import { CopyField } from '../../../../parts/form/copy-field.tsx'
import { FormModal } from '../../../../parts/form/form-modal.tsx'
import { SendForm } from '../../../../parts/form/send-form.tsx'
import { useSend } from '../../../../parts/form/use-send.ts'
import { QrCode } from '../../../../parts/page/qr-code.tsx'
import { api } from '../../../../session/api.ts'
import { RecoveryCodes } from './recovery-codes.tsx'

const TITLE = 'Set up one-time codes'
const WRONG = 'This code is wrong or too old. Enter the one that the app shows now.'
const TOO_LATE = {
  title: 'This secret does not work any more',
  detail: 'It is older than ten minutes, or was replaced by a newer one. Close this, and set up codes again.',
}

type Props = { totp: components['schemas']['TotpSecret']; onClose: () => void }

/** From the secret to a first code of the app, and then to the recovery codes. */
export function SetUpCodes({ totp, onClose }: Props) {
  const [codes, setCodes] = useState<readonly string[]>()
  if (!codes)
    return (
      <FormModal opened onClose={onClose} title={TITLE}>
        <FirstCode totp={totp} onDone={setCodes} onClose={onClose} />
      </FormModal>
    )
  return (
    <Modal
      opened
      onClose={() => {}}
      withCloseButton={false}
      closeOnClickOutside={false}
      closeOnEscape={false}
      title="One-time codes are on"
    >
      <RecoveryCodes codes={codes} onStored={onClose} />
    </Modal>
  )
}

type FirstCodeProps = Props & { onDone: (codes: readonly string[]) => void }

function FirstCode({ totp, onDone, onClose }: FirstCodeProps) {
  const [code, setCode] = useState('')
  const send = useSend(() => api.post('/api/v1/users/me/totp/confirm', { body: { code } }), {
    check: () => ({ code: filled(code, 'Enter the code that the app shows.') }),
    explain: ({ type }) => (type === 'not_found' ? TOO_LATE : undefined),
    reload: [['me']],
    onDone: ({ recovery_codes }) => onDone(recovery_codes),
  })
  return (
    <SendForm send={send} label="Switch on" onCancel={onClose} shownFields={['code']}>
      <Text size="sm">
        Scan this with an authenticator app, such as the one of your password manager. Then enter the code
        that the app shows.
      </Text>
      <QrCode text={totp.uri} label="QR code for the authenticator app" />
      <CopyField
        label="Secret"
        value={totp.secret}
        description="To type or paste into the app, if it cannot scan."
        isSecret
      />
      <TextInput
        label="Code"
        autoComplete="one-time-code"
        inputMode="numeric"
        spellCheck={false}
        maxLength={64}
        data-autofocus
        required
        {...send.entry('code', code, setCode)}
        {...(send.error !== undefined && send.fields['code'] !== undefined && { error: WRONG })}
      />
    </SendForm>
  )
}
