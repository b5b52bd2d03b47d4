import { Badge, Group, Paper, Stack, Text, Title } from '@mantine/core'
import { type ReactNode, useEffect, useRef } from 'react'

export type StepState = 'done' | 'now' | 'later'

type Props = {
  number: number
  title: string
  state: StepState
  /** Shown until this step is next. */
  later?: string
  children: ReactNode
}

const STATES = { done: ['green', 'Done'], now: ['brand', 'Next'], later: ['gray', 'Later'] } as const

/** One step of the guide. The next step takes the focus when the form of this one is removed. */
export function Step({ number, title, state, later, children }: Props) {
  const heading = useRef<HTMLHeadingElement>(null)
  const before = useRef(state)
  useEffect(() => {
    const wasLater = before.current === 'later'
    before.current = state
    if (wasLater && state === 'now' && document.activeElement === document.body) heading.current?.focus()
  }, [state])
  const [color, text] = STATES[state]
  return (
    <Paper component="li" withBorder p="md" className="guide-step">
      <Stack gap="sm">
        <Group gap="sm" justify="space-between" wrap="nowrap">
          <Title order={2} size="h4" ref={heading} tabIndex={-1}>
            {`${number}. ${title}`}
          </Title>
          <Badge color={color} variant="light">
            {text}
          </Badge>
        </Group>
        {state === 'later' && later !== undefined ? (
          <Text size="sm" c="dimmed">
            {later}
          </Text>
        ) : (
          children
        )}
      </Stack>
    </Paper>
  )
}
