import { Button } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { EmptyState } from '../../../parts/load/empty-state.tsx'
import { PagedTable } from '../../../parts/table/paged-table.tsx'
import { Screen } from '../../../parts/page/screen.tsx'
import { useUrlState } from '../../../parts/table/use-url-state.ts'
import { ClaimTag } from './claim-tag.tsx'
import { UnknownTagFilters } from './unknown-tag-filters.tsx'
import { unknownTagColumns, type UnknownTag } from './unknown-tag-columns.tsx'
import { DEFAULTS, useUnknownTags } from './use-unknown-tags.ts'
import { ViewersNote } from '../../../session/for-members.tsx'
import { useSession } from '../../../session/use-session.ts'

/** Hides an attached tag immediately; the API removes it from the list a moment later. */
export default function UnknownTags() {
  const { canWrite } = useSession()
  const [filter, setFilter] = useUrlState(DEFAULTS)
  const [claimed, setClaimed] = useState<UnknownTag>()
  const [attached, setAttached] = useState<ReadonlySet<number>>(new Set())
  const tags = useUnknownTags(filter)
  const shown = tags.data && { ...tags.data, data: tags.data.data.filter(({ id }) => !attached.has(id)) }
  const columns = useMemo(() => unknownTagColumns(canWrite ? setClaimed : undefined), [canWrite])
  const isFiltered = [filter.q, filter.type, filter.reader, filter.reads].some((text) => text !== '')
  return (
    <Screen
      title="Unknown tags"
      lead={`Tags that were read but belong to no asset or location.${canWrite ? ' Assign the ones that are yours.' : ''}`}
      actions={!canWrite && <ViewersNote />}
    >
      <UnknownTagFilters filter={filter} onChange={setFilter} />
      <PagedTable
        label="Unknown tags"
        query={{ ...tags, data: shown }}
        what="unknown tags"
        columns={columns}
        rowKey={({ id }) => id}
        minWidth={860}
        empty={<NoTags isFiltered={isFiltered} />}
        sorting={{ sort: filter.sort, onSort: (sort) => setFilter({ sort, offset: '0' }) }}
        offset={filter.offset}
        onOffset={(offset) => setFilter({ offset })}
      />
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
