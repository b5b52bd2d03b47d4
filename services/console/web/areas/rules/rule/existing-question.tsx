import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import type { ApiError } from '@whereabouts/client/client'
import { useState } from 'react'
import { countText } from '../../../parts/table/count-text.ts'
import { useSend } from '../../../parts/form/use-send.ts'

/** Undefined: not asked yet. */
type RaisesExisting = boolean | undefined
type Options = NonNullable<Parameters<typeof useSend<RaisesExisting, unknown>>[1]>

/**
 * A change of a rule. If more is true already than is raised without asking, `question` asks: raise all, or only what
 * happens from now on. Nothing is saved until it is answered.
 */
export function useRaising(
  work: (query: { raise_existing?: boolean }) => Promise<unknown>,
  options: Options,
) {
  const [count, setCount] = useState<number>()
  const send = useSend(
    (raises: RaisesExisting) => work(raises === undefined ? {} : { raise_existing: raises }),
    {
      ...options,
      explain: (error) => {
        const many = existingIn(error)
        setCount(many)
        return many === undefined
          ? undefined
          : { title: 'Not saved yet', detail: 'Save it again, and choose what to do with what is true now.' }
      },
    },
  )
  const answer = (raises: boolean) => {
    setCount(undefined)
    send.send(raises)
  }
  const question = <Question count={count} onClose={() => setCount(undefined)} onAnswer={answer} />
  return { send, question }
}

/** How many alerts the API asks about. */
function existingIn(error: NonNullable<ApiError['error']>): number | undefined {
  const { count } = error as { count?: unknown }
  return error.type === 'conflict' && typeof count === 'number' ? count : undefined
}

type Props = { count: number | undefined; onClose: () => void; onAnswer: (raises: boolean) => void }

const Question = ({ count, onClose, onAnswer }: Props) => (
  <Modal opened={count !== undefined} onClose={onClose} title="Raise what is true already?">
    <Stack>
      <Text size="sm">
        {`The rule is already true for ${countText(count ?? 0, 'assets or readers', 'asset or reader')}. ` +
          'Raise an alert for each of them now, or tell only what happens from now on?'}
      </Text>
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={() => onAnswer(false)} data-autofocus>
          Only from now on
        </Button>
        <Button onClick={() => onAnswer(true)}>{`Raise ${countText(count ?? 0, 'alerts')}`}</Button>
      </Group>
    </Stack>
  </Modal>
)
