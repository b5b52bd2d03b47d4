import { Button } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { Link } from '@tanstack/react-router'
import { useMemo } from 'react'
import IconPlus from '@tabler/icons-react/icons/IconPlus'
import IconUpload from '@tabler/icons-react/icons/IconUpload'
import IconDownload from '@tabler/icons-react/icons/IconDownload'
import { DownloadProgress } from '../../../parts/download/download-progress.tsx'
import { useDownload, type Download } from '../../../parts/download/use-download.ts'
import { EmptyState } from '../../../parts/load/empty-state.tsx'
import { FailureNotice } from '../../../parts/load/failure-notice.tsx'
import { PagedTable } from '../../../parts/table/paged-table.tsx'
import { Screen } from '../../../parts/page/screen.tsx'
import { useWanted } from '../../../parts/load/wanted.ts'
import { useUrlState } from '../../../parts/table/use-url-state.ts'
import { AsOfNotice } from './as-of.tsx'
import { AssetFilters } from './asset-filters.tsx'
import { assetColumns } from './asset-columns.tsx'
import { isByPlace, sortOf, type AssetFilter, type List } from './by-place.ts'
import { selectColumn } from '../bulk/select-column.tsx'
import { useSelection } from '../bulk/selection.ts'
import { SelectionBar } from '../bulk/selection-bar.tsx'
import { exportLabel } from './export-label.ts'
import { NewAsset } from './new-asset.tsx'
import { queryOf, useAssets, useLastLocations } from './use-assets.ts'
import { MOST_ROWS, placeFile } from './place-file.ts'
import { listFile } from './list-file.ts'
import { Icon } from '../../../parts/page/icon.tsx'
import { ViewsMenu } from '../../../parts/views/views-menu.tsx'
import { ForMembers } from '../../../session/for-members.tsx'
import { useSession } from '../../../session/use-session.ts'

const UNFILTERED: AssetFilter = {
  q: '',
  type: '',
  active: '',
  deleted: '',
  location: '',
  inside: '',
  seen: '',
  misplaced: '',
  at: '',
}

/** The list of assets. The API searches, filters, sorts and pages, so that any number of assets works. */
export default function Assets() {
  const [list, setList] = useUrlState({ ...UNFILTERED, sort: 'name', offset: '0' })
  const isPlace = isByPlace(list)
  const { canWrite } = useSession()
  const [isCreating, creating] = useDisclosure(false)
  useWanted('new-asset', () => canWrite && creating.open())
  const exported = useDownload<AssetDownload>()
  const assets = useAssets(list)
  const lastLocations = useLastLocations(
    (assets.data?.data ?? []).map(({ id }) => id),
    list.at,
  )
  const { data: located, isSuccess, isPlaceholderData } = lastLocations
  const isKnown = isSuccess && !isPlaceholderData
  const isPast = list.at !== ''
  const canChange = canWrite && !isPast
  const { offset: _page, sort: _order, ...filter } = list
  const selection = useSelection(JSON.stringify(filter))
  const columns = useMemo(
    () => assetColumns(located, { isKnown, isPlace, isPast }, canChange ? [selectColumn(selection)] : []),
    [located, isKnown, isPlace, isPast, canChange, selection],
  )
  const total = assets.data?.total_count ?? 0
  const isFiltered = isPlace || list.q !== '' || list.type !== '' || list.active !== '' || list.deleted !== ''
  return (
    <Screen
      title="Assets"
      actions={
        <>
          <ViewsMenu list="assets" />
          <ForMembers>
            <Button
              variant="default"
              leftSection={<Icon of={IconUpload} size={16} />}
              component={Link}
              to="/imports"
            >
              Import
            </Button>
          </ForMembers>
          <Button
            variant="default"
            leftSection={<Icon of={IconDownload} size={16} />}
            onClick={() => exported.start(fileOf(list, total))}
            disabled={
              exported.bytes !== undefined || total === 0 || (isPlace && (!isPast || total > MOST_ROWS))
            }
          >
            {exportLabel(total, isFiltered)}
          </Button>
          <ForMembers isExplained>
            <Button leftSection={<Icon of={IconPlus} size={16} />} onClick={creating.open}>
              New asset
            </Button>
          </ForMembers>
        </>
      }
    >
      <DownloadProgress {...exported} what={countOf(exported.asked?.total ?? 0)} />
      <NewAsset isOpen={isCreating} onClose={creating.close} />
      <AsOfNotice at={list.at} onChange={(at) => setList({ at, offset: '0' })} />
      <AssetFilters filter={list} onChange={(change) => setList({ ...change, offset: '0' })} />
      {lastLocations.isError && (
        <FailureNotice error={lastLocations.error} onRetry={() => void lastLocations.refetch()} />
      )}
      {canChange && total > 0 && <SelectionBar selection={selection} page={assets.data?.data ?? []} />}
      <PagedTable
        label="Assets"
        query={assets}
        what="assets"
        columns={columns}
        rowKey={({ id }) => id}
        minWidth={1000}
        isFixed
        empty={<NoAssets isFiltered={isFiltered} onClear={() => setList({ ...UNFILTERED, offset: '0' })} />}
        sorting={{
          sort: sortOf(list),
          onSort: (sort) => setList({ sort, offset: '0' }),
        }}
        offset={list.offset}
        onOffset={(offset) => setList({ offset })}
      />
    </Screen>
  )
}

type AssetDownload = Download & { total: number }

/** What the list shows, as a file. */
const fileOf = (list: List, total: number): AssetDownload => ({
  total,
  load: (signal, onBytes) =>
    list.at === '' ? listFile(queryOf(list), signal, onBytes) : placeFile(list, signal, onBytes),
})

const countOf = (total: number) => `${number.format(total)} ${total === 1 ? 'asset' : 'assets'}`

function NoAssets({ isFiltered, onClear }: { isFiltered: boolean; onClear: () => void }) {
  if (!isFiltered)
    return (
      <EmptyState title="No assets yet">
        <ForMembers>Create one with “New asset”, or import many from a CSV file. </ForMembers>
        Readers find an asset by its tags.
      </EmptyState>
    )
  return (
    <EmptyState
      title="No matching assets"
      action={
        <Button variant="default" onClick={onClear}>
          Show all assets
        </Button>
      }
    >
      Search covers names, keys, descriptions and tags. It matches the exact text.
    </EmptyState>
  )
}

const number = new Intl.NumberFormat()
