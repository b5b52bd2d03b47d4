import { Anchor } from '@mantine/core'
import { Link } from '@tanstack/react-router'

/** To what a person or an API key did. */
export const ActivityLink = ({ id, name }: { id: number; name: string }) => (
  <Anchor
    component={Link}
    to="/audit"
    search={() => ({ actor: String(id) }) as never}
    size="sm"
    aria-label={`Activity of ${name}`}
  >
    Activity
  </Anchor>
)
