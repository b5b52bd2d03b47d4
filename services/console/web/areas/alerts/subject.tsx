import { Anchor } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { Alert } from '../../parts/alerts/alert-text.ts'
import { LocationLink } from '../../parts/things/links.tsx'

/** What the alert is about, as a link to its page. A kind of a newer API has none. */
export function SubjectLink({ subject: { type, id, name } }: Pick<Alert, 'subject'>) {
  if (!['asset', 'reader', 'rule'].includes(type)) return name
  return (
    <Anchor component={Link} to={`/${type}s/${id}`} size="sm" style={{ display: 'inline-block' }}>
      {name}
    </Anchor>
  )
}

export const PlaceLink = ({ location }: Pick<Alert, 'location'>) =>
  location ? <LocationLink id={location.id}>{location.name}</LocationLink> : '–'
