import type { SortField } from '@whereabouts/contracts/query'

type Shared = 'name' | 'created_at' | 'updated_at'

export const toCurrentSort = (
  sort: readonly SortField<'identifier' | Shared>[],
): SortField<'external_key' | Shared>[] =>
  sort.map(({ field, descending }) => ({
    field: field === 'identifier' ? 'external_key' : field,
    descending,
  }))
