import { Button } from '@mantine/core'
import type { ReactNode } from 'react'
import { Loaded } from '../load/loaded.tsx'
import { Row } from './tree-row.tsx'
import { useBranch, useOccupancy } from './use-branch.ts'

type Props = { label: string; parentId: number | undefined; empty: ReactNode }

/** One level of the tree. */
export function Branch({ label, parentId, empty }: Props) {
  const branch = useBranch(parentId)
  const locations = branch.data?.pages.flatMap(({ data }) => data) ?? []
  const occupancy = useOccupancy(locations.map(({ id }) => id))
  const total = branch.data?.pages.at(-1)?.total_count ?? 0
  return (
    <Loaded query={branch} what="locations">
      {() =>
        locations.length === 0 ? (
          empty
        ) : (
          <>
            <ul aria-label={label}>
              {locations.map((location) => (
                <Row key={location.id} location={location} occupancy={occupancy.data?.get(location.id)}>
                  <Branch label={`Sub-locations of ${location.name}`} parentId={location.id} empty={null} />
                </Row>
              ))}
            </ul>
            {branch.hasNextPage && (
              <Button
                size="compact-sm"
                variant="subtle"
                loading={branch.isFetchingNextPage}
                onClick={() => void branch.fetchNextPage()}
              >
                {`Show more (${new Intl.NumberFormat().format(total - locations.length)})`}
              </Button>
            )}
          </>
        )
      }
    </Loaded>
  )
}
