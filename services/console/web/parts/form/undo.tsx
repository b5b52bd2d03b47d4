import { Button, Group, Stack, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { FailureNotice } from '../load/failure-notice.tsx'
import { useSend } from './use-send.ts'

type Undo<T> = {
  /** What happened, for example `Deleted Forklift 7.` */
  message: string
  undo: () => Promise<T>
  /** Said afterwards, for example `Forklift 7 restored.` */
  done: string | ((result: T) => string)
  reload: readonly (readonly unknown[])[]
  /** Another way, if an undo fails: opens the page of the deleted thing. */
  open?: { label: string; go: () => void }
}

type Deleted = { list: string; key: 'asset' | 'location'; id: number; name: string } & Pick<
  Undo<unknown>,
  'undo' | 'reload'
>

/** What to do after a deletion: go to the list, and offer to undo it there. */
export function useDeleted({ list, key, id, name, undo, reload }: Deleted): () => void {
  const navigate = useNavigate()
  const client = useQueryClient()
  return () => {
    // The copy from before the deletion must not be shown again.
    void navigate({ to: list }).then(() => client.removeQueries({ queryKey: [key, id] }))
    const open = { label: `Open ${name}`, go: () => void navigate({ to: `${list}/${id}` }) }
    offerUndo({ message: `Deleted ${name}.`, undo, done: `${name} restored.`, reload, open })
  }
}

let last: string | undefined

/** A notice with a button. It stays until it is closed or the next one comes: nobody has to hurry. */
export function offerUndo<T>(undo: Undo<T>): void {
  close()
  last = notifications.show({
    message: <UndoNotice {...undo} />,
    autoClose: false,
  })
}

function close(): void {
  if (last !== undefined) notifications.hide(last)
  last = undefined
}

function UndoNotice<T>({ message, undo, done, reload, open }: Undo<T>) {
  const send = useSend(undo, {
    reload,
    onDone: (result) => {
      close()
      notifications.show({ message: typeof done === 'string' ? done : done(result) })
    },
  })
  return (
    <Stack gap="xs">
      <Group gap="sm" justify="space-between" wrap="nowrap">
        <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
          {message}
        </Text>
        <Button
          size="compact-sm"
          variant="light"
          loading={send.isSending}
          onClick={() => send.send(undefined)}
          style={{ flexShrink: 0 }}
        >
          Undo
        </Button>
      </Group>
      {send.error !== undefined && <FailureNotice error={send.error} />}
      {send.error !== undefined && open && (
        <Button
          size="compact-sm"
          variant="default"
          onClick={() => {
            close()
            open.go()
          }}
        >
          {open.label}
        </Button>
      )}
    </Stack>
  )
}
