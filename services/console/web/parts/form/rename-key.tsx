import { Button, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useState } from 'react'
import { externalKey, filled } from './checks.ts'
import { FormModal } from './form-modal.tsx'
import { SendForm } from './send-form.tsx'
import { useSend } from './use-send.ts'

type Props = {
  current: string
  rename: (body: { external_key: string }) => Promise<unknown>
  reload: readonly (readonly unknown[])[]
}

/** Changes the external key. Separate from other fields, because other systems know the resource by it. */
export function RenameKey(props: Props) {
  const [isOpen, { open, close }] = useDisclosure(false)
  return (
    <>
      <Button variant="default" onClick={open}>
        Change key
      </Button>
      <FormModal opened={isOpen} onClose={close} title={`Change the key ${props.current}`}>
        <RenameForm {...props} onClose={close} />
      </FormModal>
    </>
  )
}

function RenameForm({ current, rename, reload, onClose }: Props & { onClose: () => void }) {
  const [key, setKey] = useState(current)
  const send = useSend(rename, {
    reload,
    onDone: onClose,
    check: ({ external_key: typed }) => ({ external_key: filled(typed) ?? externalKey(typed) }),
  })
  return (
    <SendForm
      send={send}
      label="Change"
      onSubmit={() => send.send({ external_key: key.trim() })}
      onCancel={onClose}
      shownFields={['external_key']}
    >
      <TextInput
        label="External key"
        description="Update other systems that use the old key. The history stays."
        {...send.entry('external_key', key, setKey)}
        spellCheck={false}
        data-autofocus
        required
      />
    </SendForm>
  )
}
