import { Button } from '@mantine/core'
import { SecretOnce } from '../../../../parts/form/secret-once.tsx'
import { saveFile } from '../../../../parts/download/save-file.ts'
import { useSession } from '../../../../session/use-session.ts'

type Props = { codes: readonly string[]; onStored: () => void }

/** The only time that they are shown. */
export function RecoveryCodes({ codes, onStored }: Props) {
  const { user } = useSession()
  const download = () =>
    saveFile(new Blob([textOf(codes, user.email)], { type: 'text/plain' }), 'whereabouts-recovery-codes.txt')
  return (
    <SecretOnce
      secrets={[{ label: 'Recovery codes', value: codes.join('\n') }]}
      onStored={onStored}
      storedLabel="I have stored them"
      advice="Each code works once in place of your app. Store the list where you find it without your phone."
    >
      <Button variant="default" onClick={download}>
        Download as text
      </Button>
    </SecretOnce>
  )
}

const textOf = (codes: readonly string[], email: string) =>
  `Recovery codes of ${email} for Whereabouts at ${location.host}. Each works once.\n\n${codes.join('\n')}\n`
