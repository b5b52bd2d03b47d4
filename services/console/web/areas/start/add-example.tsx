import { Button, Group, Paper, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { FailureNotice } from '../../parts/load/failure-notice.tsx'
import { useSend } from '../../parts/form/use-send.ts'
import { addExample } from './set-up.ts'

type Props = Parameters<typeof addExample>[0]

/** Everything up to the first scan with one click, for people who only want to look. */
export function AddExample(existing: Props) {
  const client = useQueryClient()
  const reload = [['locations'], ['assets'], ['readers'], ['reader']]
  const send = useSend(() => addExample(existing), {
    reload,
    // What was created before the failure must be known before the next try, which would create it again.
    onFailure: () => Promise.all(reload.map((queryKey) => client.invalidateQueries({ queryKey }))),
  })
  return (
    <Paper withBorder p="md" maw={860}>
      <Group justify="space-between" gap="sm">
        <Text size="sm" style={{ flex: '1 1 18rem' }}>
          Only want to look? We add a location, an asset with a tag, and a reader. You can rename or delete
          them later.
        </Text>
        <Button variant="default" loading={send.isSending} onClick={() => send.send(undefined)}>
          Add an example for me
        </Button>
      </Group>
      {send.error !== undefined && <FailureNotice error={send.error} />}
    </Paper>
  )
}
