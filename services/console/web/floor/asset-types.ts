/** What the API calls `asset` is a thing. A later API may have more types. */
const TYPES: Readonly<Record<string, { label: string; plural: string; color: string }>> = {
  asset: { label: 'Thing', plural: 'Things', color: '--asset-thing' },
  person: { label: 'Person', plural: 'People', color: '--asset-person' },
  inventory: { label: 'Inventory', plural: 'Inventory', color: '--asset-inventory' },
}

const OTHER = { label: 'Other', plural: 'Others', color: '--asset-other' }

export const assetTypeOf = (type: string) => TYPES[type] ?? OTHER
