import { Button, Group, Stack, Text } from '@mantine/core'
import { Fragment, type ReactNode, useContext } from 'react'
import type { Picked } from '../../../parts/form/search-select.tsx'
import { UnsavedContext } from '../../../parts/form/unsaved.ts'

type Props = {
  picked: readonly Picked[]
  onChange: (picked: readonly Picked[]) => void
  /** The picker of one more. It is empty again after each choice. */
  children: (pick: (one: Picked | null) => void) => ReactNode
}

/** A picker, and below it what was picked, each with a button that removes it. */
export function PickedMany({ picked, onChange, children }: Props) {
  const unsaved = useContext(UnsavedContext)
  const change = (next: readonly Picked[]) => {
    unsaved?.setUnsaved(true)
    onChange(next)
  }
  return (
    <Stack gap="xs">
      <Fragment key={picked.length}>
        {children((one) => one && !picked.some(({ id }) => id === one.id) && change([...picked, one]))}
      </Fragment>
      {picked.map(({ id, name }) => (
        <Group key={id} justify="space-between" wrap="nowrap">
          <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
            {name}
          </Text>
          <Button
            size="compact-sm"
            variant="default"
            aria-label={`Remove ${name}`}
            onClick={() => change(picked.filter((each) => each.id !== id))}
          >
            Remove
          </Button>
        </Group>
      ))}
    </Stack>
  )
}
