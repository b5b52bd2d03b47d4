import type { SortField } from '@whereabouts/contracts/rules/query'

export const toCurrentSort = <F extends string>(
  sort: readonly SortField<F>[],
): SortField<Exclude<F, 'identifier'> | 'external_key'>[] =>
  sort.map(({ field, descending }) => ({
    field: field === 'identifier' ? 'external_key' : (field as Exclude<F, 'identifier'>),
    descending,
  }))
