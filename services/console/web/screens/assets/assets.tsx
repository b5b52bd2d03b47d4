import { Button } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { Link } from '@tanstack/react-router'
import { EmptyState } from '../../parts/empty-state.tsx'
import { FailureNotice } from '../../parts/failure-notice.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { Pager } from '../../parts/pager.tsx'
import { Screen } from '../../parts/screen.tsx'
import { useUrlState } from '../../parts/use-url-state.ts'
import { AssetFilters, type AssetFilter } from './asset-filters.tsx'
import { AssetsTable } from './assets-table.tsx'
import { ExportNotice } from './export-notice.tsx'
import { NewAsset } from './new-asset.tsx'
import { PAGE, queryOf, useAssets, useLastLocations, type LastLocation } from './use-assets.ts'
import { useExport } from './use-export.ts'

const NO_LOCATIONS: ReadonlyMap<number, LastLocation> = new Map()
const UNFILTERED: AssetFilter = { q: '', type: '', active: '', deleted: '' }

/** The list of assets. The API searches, filters, sorts and pages, so that any number of assets works. */
export default function Assets() {
  const [list, setList] = useUrlState({ ...UNFILTERED, sort: 'name', offset: '0' })
  const [isCreating, creating] = useDisclosure(false)
  const exported = useExport()
  const assets = useAssets(list)
  const lastLocations = useLastLocations((assets.data?.data ?? []).map(({ id }) => id))
  const total = assets.data?.total_count ?? 0
  const isFiltered = list.q !== '' || list.type !== '' || list.active !== '' || list.deleted !== ''
  return (
    <Screen
      title="Assets"
      actions={
        <>
          <Button variant="default" component={Link} to="/imports">
            Import
          </Button>
          <Button
            variant="default"
            onClick={() => exported.start(queryOf(list), total)}
            disabled={exported.bytes !== undefined || total === 0}
          >
            {exportLabel(total, isFiltered)}
          </Button>
          <Button onClick={creating.open}>New asset</Button>
        </>
      }
    >
      <ExportNotice {...exported} />
      <NewAsset isOpen={isCreating} onClose={creating.close} />
      <AssetFilters filter={list} onChange={(change) => setList({ ...change, offset: '0' })} />
      <Loaded query={assets} what="the assets">
        {({ data }) =>
          total === 0 ? (
            <NoAssets isFiltered={isFiltered} onClear={() => setList({ ...UNFILTERED, offset: '0' })} />
          ) : (
            <div>
              {lastLocations.isError && (
                <FailureNotice error={lastLocations.error} onRetry={() => void lastLocations.refetch()} />
              )}
              <AssetsTable
                assets={data}
                lastLocations={lastLocations.data ?? NO_LOCATIONS}
                isKnown={lastLocations.isSuccess && !lastLocations.isPlaceholderData}
                sort={list.sort}
                onSort={(sort) => setList({ sort, offset: '0' })}
              />
              <Pager
                offset={Number(list.offset)}
                limit={PAGE}
                total={total}
                onOffset={(offset) => setList({ offset: String(offset) })}
                what="assets"
              />
            </div>
          )
        }
      </Loaded>
    </Screen>
  )
}

/** Says what the file will have: the rows of all pages of the list, as CSV. */
const exportLabel = (total: number, isFiltered: boolean) =>
  total === 0
    ? 'Export CSV'
    : `Export ${isFiltered ? 'these' : 'all'} ${new Intl.NumberFormat().format(total)}`

function NoAssets({ isFiltered, onClear }: { isFiltered: boolean; onClear: () => void }) {
  if (!isFiltered)
    return (
      <EmptyState title="No assets yet">
        Create one with “New asset”, or import many from a CSV file. Readers find an asset by its tags.
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
