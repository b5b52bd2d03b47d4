import { Anchor, TextInput, type TextInputProps } from '@mantine/core'
import { useRef, useState } from 'react'

type Props = Pick<TextInputProps, 'value' | 'onChange' | 'error' | 'autoFocus'>

/** For a one-time code, or a recovery code, whose letters need another keyboard on a phone. */
export function CodeField(props: Props) {
  const [isRecovery, setRecovery] = useState(false)
  const input = useRef<HTMLInputElement>(null)
  const takeRecovery = () => {
    setRecovery(true)
    input.current?.focus()
  }
  return (
    <TextInput
      ref={input}
      {...(isRecovery
        ? { label: 'Recovery code', description: 'Such as ABCD-EFGH-IJKL-MN23. Each works once.' }
        : { label: 'Code', description: <AppHint onLost={takeRecovery} />, inputMode: 'numeric' })}
      autoComplete="one-time-code"
      autoCapitalize="characters"
      spellCheck={false}
      maxLength={64}
      required
      {...props}
    />
  )
}

const AppHint = ({ onLost }: { onLost: () => void }) => (
  <>
    Open your authenticator app. Lost it?{' '}
    <Anchor component="button" type="button" inherit underline="always" onClick={onLost}>
      Use one of your recovery codes.
    </Anchor>
  </>
)
