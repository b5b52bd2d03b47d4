import { Group, Text } from '@mantine/core'
import { useLocationView } from '../../../parts/locations/location-queries.ts'
import { LocationLink } from '../../../parts/things/links.tsx'
import type { Asset } from '../assets/asset-fields.ts'

/** The home of an asset with its name, or with its key until the name is known. Null without one. */
export function useHome({ home_location_id: id, home_location_external_key: key }: Asset) {
  const { data } = useLocationView(key && id ? id : 0)
  return id && { id, external_key: key ?? `id ${id}`, name: data?.name ?? key ?? 'A deleted location' }
}

type Props = { asset: Asset; isHome: boolean | null | undefined }

/** Where the asset belongs, and whether it is there. */
export function Home({ asset, isHome }: Props) {
  const home = useHome(asset)
  if (!home) return null
  return (
    <Group gap="xs" mt="md">
      <Text size="sm" fw={600}>
        {isHome === false ? 'Not at home:' : 'Home:'}
      </Text>
      <LocationLink id={home.id}>{home.name}</LocationLink>
    </Group>
  )
}
