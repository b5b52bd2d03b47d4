import { List, Text } from '@mantine/core'
import { keepPreviousData, useQueries, useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { countText } from '../../parts/table/count-text.ts'
import { AssetLink } from '../../parts/things/links.tsx'
import { BATCH } from '../../parts/load/lookups.ts'
import type { PickedLocation } from '../../parts/locations/location-picker.tsx'
import { findPlaces, type LastLocations, withNames } from './last-locations.ts'
import { outcomeOf, type SavedRow } from './moved.ts'
import { isAsset, type Row } from './rows.ts'

type Props = { rows: readonly Row[]; location: PickedLocation }

/** Their places change while the list grows. */
const REFRESH_MS = 30_000

/** Says before a save which assets it takes from another place. */
export function WhatMoves({ rows, location }: Props) {
  const assets = useMemo(() => rows.filter(isAsset).map(({ asset }) => asset), [rows])
  const places = usePlaces(useMemo(() => assets.map(({ id }) => id), [assets]))
  const { moved } = outcomeOf(assets, places, location.id)
  const [isOpen, setOpen] = useState(false)
  if (moved.length === 0) return null
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary style={{ fontSize: 'var(--mantine-font-size-sm)' }}>
        <span role="status">{comesText(moved.length)}</span>
      </summary>
      {isOpen && <Moving rows={moved} />}
    </details>
  )
}

const comesText = (count: number) =>
  count === 1
    ? '1 comes from another place'
    : `${new Intl.NumberFormat().format(count)} come from other places`

/** In groups that stay the same while the list grows, so that a scan asks for the last group alone. */
function usePlaces(newestFirst: readonly number[]): LastLocations {
  const groups = useMemo(() => groupsOf(newestFirst.toReversed()), [newestFirst])
  return useQueries({
    queries: groups.map((ids) => ({
      queryKey: ['asset', 'places', ids],
      placeholderData: keepPreviousData,
      refetchInterval: REFRESH_MS,
      queryFn: async () => findPlaces(ids),
    })),
    combine: (answers) => new Map(answers.flatMap(({ data }) => [...(data ?? [])])),
  })
}

const groupsOf = (ids: readonly number[]): number[][] =>
  Array.from({ length: Math.ceil(ids.length / BATCH) }, (_, i) => ids.slice(i * BATCH, (i + 1) * BATCH))

const SHOWN = 50

function Moving({ rows }: { rows: readonly SavedRow[] }) {
  const shown = rows.slice(0, SHOWN)
  const named = useQuery({
    queryKey: ['asset', 'places', 'named', shown.map(({ asset, from }) => [asset.id, from?.key])],
    placeholderData: keepPreviousData,
    queryFn: async () => withNames(new Map(shown.map(({ asset, from }) => [asset.id, from]))),
  })
  return (
    <>
      <List size="sm" mt={4} listStyleType="none" aria-label="From other places">
        {shown.map(({ asset, from }) => (
          <List.Item key={asset.id}>
            <AssetLink id={asset.id}>{asset.name}</AssetLink>
            {` is at ${named.data?.get(asset.id)?.name ?? from?.key ?? 'a deleted location'}`}
          </List.Item>
        ))}
      </List>
      {rows.length > SHOWN && (
        <Text size="sm" c="dimmed">{`and ${countText(rows.length - SHOWN, 'others')}`}</Text>
      )}
    </>
  )
}
