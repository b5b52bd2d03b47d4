import { Checkbox, Group, NativeSelect } from '@mantine/core'
import { lazy, Suspense } from 'react'
import { AssetPicker } from '../../../parts/form/asset-picker.tsx'
import { PickedMany } from './picked-many.tsx'
import { SearchSelect, SHOWN } from '../../../parts/form/search-select.tsx'
import { ASSET_TYPES, assetTypeOf } from '../../../parts/things/asset-types.ts'
import { api } from '../../../session/api.ts'
import { type Draft, type Who, withWho } from './draft.ts'

const HavingInputs = lazy(() => import('./later/having-inputs.tsx'))

const WHO: Readonly<Record<Who, string>> = {
  any: 'any asset',
  types: 'any asset of a type',
  assets: 'one of these assets',
  any_reader: 'any reader',
  readers: 'one of these readers',
}
const isWho = (text: string): text is Who => Object.hasOwn(WHO, text)

export type PartProps = {
  draft: Draft
  onChange: (change: Partial<Draft>) => void
  /** The message at a field of the API. */
  problem: (field: string) => string | undefined
}

/** What of the sentence is its subject: assets or readers. */
export const SubjectChoice = ({ draft, onChange }: Omit<PartProps, 'problem'>) => (
  <NativeSelect
    label="Tell me when"
    flex="1 1 200px"
    data={Object.entries(WHO).map(([value, label]) => ({ value, label }))}
    value={draft.who}
    onChange={({ currentTarget: { value } }) => isWho(value) && onChange(withWho(draft, value))}
  />
)

/** Which assets or readers, if not all. */
export function SubjectDetails({ draft, onChange, problem }: PartProps) {
  const { who, assets, assetTypes, having, readers } = draft
  if (who === 'readers')
    return (
      <PickedMany picked={readers} onChange={(next) => onChange({ readers: next })}>
        {(pick) => (
          <SearchSelect
            label="Reader"
            placeholder="Type a name or key"
            isRequired
            what="readers"
            search={searchReaders}
            value={null}
            onChange={pick}
            error={problem('scope.reader_ids')}
          />
        )}
      </PickedMany>
    )
  return (
    <>
      {who === 'assets' && (
        <PickedMany picked={assets} onChange={(next) => onChange({ assets: next })}>
          {(pick) => (
            <AssetPicker isRequired value={null} onChange={pick} error={problem('scope.asset_ids')} />
          )}
        </PickedMany>
      )}
      {(who === 'types' || assetTypes.length > 0) && (
        <Checkbox.Group
          label="Types of assets"
          value={[...assetTypes]}
          onChange={(next) => onChange({ assetTypes: next })}
          error={problem('scope.asset_types')}
        >
          <Group gap="md" mt={6}>
            {[...new Set([...ASSET_TYPES, ...assetTypes])].map((type) => (
              <Checkbox key={type} value={type} label={assetTypeOf(type).plural} />
            ))}
          </Group>
        </Checkbox.Group>
      )}
      {who !== 'any_reader' && (
        <Suspense>
          <HavingInputs
            having={having}
            onChange={(next) => onChange({ having: next })}
            error={problem('scope.metadata')}
          />
        </Suspense>
      )}
    </>
  )
}

/** Only those that are configured have an id. */
async function searchReaders(q: string, signal: AbortSignal) {
  const query = { limit: SHOWN, sort: 'name', configured: true, ...(q !== '' && { q }) }
  const found = await api.get('/api/v1/readers', { query, signal })
  return found.flatMap(({ id, name, reader_key }) =>
    id === null ? [] : [{ id, name: name ?? reader_key, external_key: reader_key }],
  )
}
