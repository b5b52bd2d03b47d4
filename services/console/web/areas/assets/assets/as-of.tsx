import { Alert, Button, Group, Text, TextInput } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { fromLocalInput, toLocalInput } from '../../../parts/time/local-time.ts'
import { zonedTime } from '../../../parts/time/times.ts'
import { useNow } from '../../../parts/time/when.tsx'

/** `at` is an instant as in the address, or empty for now. The address may have anything. */
type Props = { at: string; onChange: (at: string) => void }

const isInstant = (at: string) => !Number.isNaN(Date.parse(at))
const inputOf = (at: string) => (isInstant(at) ? toLocalInput(at) : '')
/** A year that is not typed to its end is before it. */
const OLDEST = '1970'

/** The instant of the list, in the time zone of this device. What is typed stays while the field has the focus. */
export function AsOfField({ at, onChange }: Props) {
  const [typed, setTyped] = useState<string>()
  return (
    <TextInput
      label="As of"
      type="datetime-local"
      value={typed ?? inputOf(at)}
      onFocus={() => setTyped(inputOf(at))}
      onBlur={() => setTyped(undefined)}
      onChange={({ currentTarget: { value } }) => {
        setTyped(value)
        const instant = fromLocalInput(value) ?? ''
        if (instant === '' || instant > OLDEST) onChange(instant)
      }}
    />
  )
}

/** Says that the list is not of now, so that nobody takes it for that. */
export function AsOfNotice({ at, onChange }: Props) {
  const now = useNow()
  if (at === '') return null
  return (
    <Alert color="yellow" title={titleOf(at, now)} role="status">
      <Text size="sm">
        The list does not follow movements. Names, types and tags are those of today. Assets that were not
        seen until then, or not valid then, are not in it.
      </Text>
      <Group mt="sm">
        <Button size="xs" onClick={() => onChange('')}>
          Back to now
        </Button>
        {isInstant(at) && (
          <Button
            component={Link}
            to="/floor"
            search={() => ({ span: 'day', day: toLocalInput(at).slice(0, 'yyyy-mm-dd'.length), at }) as never}
            size="xs"
            variant="default"
          >
            On the floor
          </Button>
        )}
      </Group>
    </Alert>
  )
}

function titleOf(at: string, now: number): string {
  if (!isInstant(at)) return 'This time cannot be read'
  return Date.parse(at) > now
    ? `${zonedTime(at)} is in the future`
    : `Where everything was on ${zonedTime(at)}`
}
