import { Button, Table, VisuallyHidden } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { components } from '@whereabouts/client/client'
import { useState } from 'react'
import { EmptyState } from '../../parts/empty-state.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { Pager } from '../../parts/pager.tsx'
import { Screen } from '../../parts/screen.tsx'
import { SortHeading } from '../../parts/sort-heading.tsx'
import { StackedTable } from '../../parts/stacked-table.tsx'
import { useUrlState } from '../../parts/use-url-state.ts'
import { ClaimTag } from './claim-tag.tsx'
import { UnknownTagFilters } from './unknown-tag-filters.tsx'
import { UnknownTagRow } from './unknown-tag-row.tsx'
import { DEFAULTS, PAGE, useUnknownTags } from './use-unknown-tags.ts'

type UnknownTag = components['schemas']['UnknownTag']

/** Hides an attached tag immediately; the API removes it from the list a moment later. */
export default function UnknownTags() {
  const [filter, setFilter] = useUrlState(DEFAULTS)
  const [claimed, setClaimed] = useState<UnknownTag>()
  const [attached, setAttached] = useState<ReadonlySet<number>>(new Set())
  const tags = useUnknownTags(filter)
  const isFiltered = [filter.q, filter.type, filter.reader, filter.reads].some((text) => text !== '')
  return (
    <Screen
      title="Unknown tags"
      lead="Tags that were read but belong to no asset or location. Assign the ones that are yours."
    >
      <UnknownTagFilters filter={filter} onChange={setFilter} />
      <Loaded query={tags} what="the unknown tags">
        {({ data, total_count: total }) =>
          total === 0 ? (
            <NoTags isFiltered={isFiltered} />
          ) : (
            <>
              <TagTable
                tags={data.filter(({ id }) => !attached.has(id))}
                sort={filter.sort}
                onSort={(sort) => setFilter({ sort, offset: '0' })}
                onClaim={setClaimed}
              />
              <Pager
                offset={Number(filter.offset)}
                limit={PAGE}
                total={total}
                onOffset={(offset) => setFilter({ offset: String(offset) })}
                what="unknown tags"
              />
            </>
          )
        }
      </Loaded>
      {claimed && (
        <ClaimTag
          tag={claimed}
          onClose={() => setClaimed(undefined)}
          onAttached={() => setAttached((before) => new Set([...before, claimed.id]))}
        />
      )}
    </Screen>
  )
}

function NoTags({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered) return <EmptyState title="No matching unknown tags">Change the filters above.</EmptyState>
  return (
    <EmptyState
      title="No unknown tags"
      action={
        <Button component={Link} to="/readers" variant="default">
          Go to readers
        </Button>
      }
    >
      All tags read so far belong to an asset or a location. Hold a new tag in front of a reader to see it
      here.
    </EmptyState>
  )
}

type TableProps = {
  tags: readonly UnknownTag[]
  sort: string
  onSort: (sort: string) => void
  onClaim: (tag: UnknownTag) => void
}

function TagTable({ tags, sort, onSort, onClaim }: TableProps) {
  return (
    <StackedTable label="Unknown tags" minWidth={860}>
      <Table.Thead>
        <Table.Tr>
          <SortHeading label="Value" field="value" sort={sort} onSort={onSort} />
          <Table.Th>Type</Table.Th>
          <SortHeading label="Last read" field="last_seen_at" sort={sort} onSort={onSort} />
          <SortHeading label="Reads" field="reads" sort={sort} onSort={onSort} />
          <Table.Th>Last read by</Table.Th>
          <Table.Th>Signal</Table.Th>
          <Table.Th>
            <VisuallyHidden>Actions</VisuallyHidden>
          </Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {tags.map((tag) => (
          <UnknownTagRow key={tag.id} tag={tag} onClaim={() => onClaim(tag)} />
        ))}
      </Table.Tbody>
    </StackedTable>
  )
}
