import { Anchor, Breadcrumbs, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { LocationLink } from '../../parts/links.tsx'
import { useAncestors } from './location-queries.ts'

/** The path from the top level to a location. */
export function Breadcrumb({ id, name }: { id: number; name: string }) {
  const { data = [] } = useAncestors(id)
  return (
    <nav aria-label="Breadcrumb">
      <Breadcrumbs separator="›" style={{ flexWrap: 'wrap' }}>
        <Anchor component={Link} to="/locations" size="sm">
          Locations
        </Anchor>
        {data.map((ancestor) => (
          <LocationLink key={ancestor.id} id={ancestor.id}>
            {ancestor.name}
          </LocationLink>
        ))}
        <Text size="sm" aria-current="page">
          {name}
        </Text>
      </Breadcrumbs>
    </nav>
  )
}
