import { NDJSON_MEDIA_TYPE, type Route } from '../route.ts'

const forGateway = {
  method: 'GET',
  access: 'session',
  role: 'admin',
  counted: false,
  described: false,
  success: { status: 200, download: NDJSON_MEDIA_TYPE },
  errors: [],
} as const

/**
 * What the gateway reads for `exportOrg` where pages of a list would take too long: all rows of the caller's organization,
 * one JSON object a line. Services serve these rows to the gateway alone: none is in the route table, so none is forwarded.
 */
export const exportRowRoutes = {
  exportAssetRows: {
    ...forGateway,
    path: '/export-rows/assets',
    upstream: 'catalog',
    summary: 'Read all assets, deleted ones too',
  },
  exportLocationRows: {
    ...forGateway,
    path: '/export-rows/locations',
    upstream: 'catalog',
    summary: 'Read all locations, deleted ones too',
  },
  exportHistoryRows: {
    ...forGateway,
    path: '/export-rows/history',
    upstream: 'tracking',
    summary: 'Read the whole history',
  },
} as const satisfies Record<string, Route>
