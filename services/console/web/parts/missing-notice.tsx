import { Alert, Anchor, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'

/** `name` of a thing as in “no such asset”, and the list that has all of them. */
export type Missing = { name: string; list: string; to: string }

/** Shown by the screen of one thing that does not exist, or no longer. */
export function MissingNotice({ name, list, to }: Missing) {
  return (
    <Alert color="yellow" title={`There is no such ${name}`} role="alert">
      <Text size="sm">
        It was deleted, or the address is wrong.{' '}
        <Anchor component={Link} to={to} underline="always" inherit>
          {list}
        </Anchor>
      </Text>
    </Alert>
  )
}
