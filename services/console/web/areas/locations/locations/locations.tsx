import { Button, Checkbox, Group, Paper } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import IconUpload from '@tabler/icons-react/icons/IconUpload'
import { EmptyState } from '../../../parts/load/empty-state.tsx'
import { SearchBox } from '../../../parts/table/search-box.tsx'
import { Screen } from '../../../parts/page/screen.tsx'
import { useUrlState } from '../../../parts/table/use-url-state.ts'
import { FoundLocations } from './found-locations.tsx'
import { MoveDialog } from './move-dialog.tsx'
import { NewLocation } from './new-location.tsx'
import { LocationTree } from '../../../parts/locations/tree.tsx'
import type { BranchLocation } from '../../../parts/locations/use-branch.ts'
import { Icon } from '../../../parts/page/icon.tsx'
import { ForMembers } from '../../../session/for-members.tsx'
import { useSession } from '../../../session/use-session.ts'

type Move = { location: BranchLocation; to: BranchLocation | null | undefined }

export default function Locations() {
  const [{ q, deleted, offset }, setUrl] = useUrlState({ q: '', deleted: '', offset: '0' })
  const withDeleted = deleted === 'true'
  const { canWrite } = useSession()
  const [move, setMove] = useState<Move>()
  return (
    <Screen
      title="Locations"
      lead="Where assets can be, and how many are there now."
      actions={
        <ForMembers isExplained>
          <Button
            component={Link}
            to="/imports"
            variant="default"
            leftSection={<Icon of={IconUpload} size={16} />}
          >
            Import
          </Button>
          <NewLocation label="New location" />
        </ForMembers>
      }
    >
      <Group align="flex-end" role="search">
        <SearchBox
          label="Search"
          placeholder="Name, key or tag"
          value={q}
          onChange={(text) => setUrl({ q: text, offset: '0' })}
          style={{ flex: '0 1 360px' }}
        />
        <Checkbox
          label="Include deleted"
          checked={withDeleted}
          onChange={(event) => setUrl({ deleted: event.currentTarget.checked ? 'true' : '', offset: '0' })}
          pb={8}
        />
      </Group>
      {q.trim() === '' && !withDeleted ? (
        <Paper withBorder p="sm">
          <LocationTree
            label="Locations"
            {...(canWrite && { onMove: (location, to) => setMove({ location, to }) })}
            empty={
              <EmptyState title="No locations yet" isInCard>
                A location is a place for assets: a site, a hall, a shelf.
                <ForMembers> Create one above, or import many from a CSV file.</ForMembers>
              </EmptyState>
            }
          />
        </Paper>
      ) : (
        <FoundLocations
          q={q.trim()}
          withDeleted={withDeleted}
          offset={offset}
          onOffset={(next) => setUrl({ offset: next })}
        />
      )}
      {move && (
        <MoveDialog
          key={move.location.id}
          location={move.location}
          to={move.to}
          onClose={() => setMove(undefined)}
        />
      )}
    </Screen>
  )
}
