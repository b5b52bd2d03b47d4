import { Anchor } from '@mantine/core'
import { Link } from '@tanstack/react-router'

/** From one thing to the list of all. */
export const BackLink = ({ list, to }: { list: string; to: string }) => (
  <Anchor component={Link} to={to} size="sm">
    {list}
  </Anchor>
)
