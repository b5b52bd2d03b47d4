import { Badge, Group, Text } from '@mantine/core'
import { useLocationView } from '../../../parts/locations/location-queries.ts'
import type { PickedLocation } from '../../../parts/locations/location-picker.tsx'
import { LocationLink } from '../../../parts/things/links.tsx'
import type { Asset } from '../assets/asset-fields.ts'

type WithHome = Pick<Asset, 'home_location_id' | 'home_location_external_key'>

/** The home of an asset with its name, or with its key until the name is known. Null without one. */
export function useHome({ home_location_id: id, home_location_external_key: key }: WithHome) {
  const { data } = useLocationView(key === null ? 0 : (id ?? 0))
  if (id === null) return null
  return {
    id,
    external_key: key ?? `id ${id}`,
    name: data?.name ?? key ?? 'A deleted location',
  } satisfies PickedLocation
}

type Props = { asset: Asset; isHome: boolean | null | undefined }

/** Where the asset belongs, and whether it is there. */
export function Home({ asset, isHome }: Props) {
  const home = useHome(asset)
  if (home === null) return null
  return (
    <Group gap="xs" mt="md">
      <Text size="sm" c="dimmed">
        Home
      </Text>
      {asset.home_location_external_key === null ? (
        <Text size="sm">{home.name}</Text>
      ) : (
        <LocationLink id={home.id}>{home.name}</LocationLink>
      )}
      {typeof isHome === 'boolean' && (
        <Badge variant="light" color={isHome ? 'green' : 'orange'}>
          {isHome ? 'At home' : 'Not at home'}
        </Badge>
      )}
    </Group>
  )
}
