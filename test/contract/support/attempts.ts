import { jwtParts } from '../../system/jwt.ts'
import type { OperationId } from '@whereabouts/contracts/routes'
import type { World } from './world.ts'

export type Params = Record<string, string | number>
type Attempt = { params: Params; status: 403 | 404 }
type Attempts = (mine: World, theirs: World) => Attempt[]

const missing = (...params: Params[]): Attempt[] => params.map((one) => ({ params: one, status: 404 }))

/**
 * For every path of the route table with parameters: ids of another organization to try, alone and mixed with own ones.
 * The first attempt has only ids of the other, so that it succeeds with the same world on both sides.
 */
export const attempts: Partial<Record<string, Attempts>> = {
  '/assets/{asset_id}': assets,
  '/assets/{asset_id}/rename': assets,
  '/assets/{asset_id}/restore': assets,
  '/assets/{asset_id}/erase': assets,
  '/assets/{asset_id}/history': assets,
  '/assets/{asset_id}/sightings': assets,
  '/assets/{asset_id}/tags': assets,
  '/assets/{asset_id}/tags/{tag_id}': ({ asset: mine }, { asset: { id, tagId } }) =>
    missing(
      { asset_id: id, tag_id: tagId },
      { asset_id: mine.id, tag_id: tagId },
      { asset_id: id, tag_id: mine.tagId },
    ),
  '/locations/{location_id}': locations,
  '/locations/{location_id}/rename': locations,
  '/locations/{location_id}/restore': locations,
  '/locations/{location_id}/ancestors': locations,
  '/locations/{location_id}/children': locations,
  '/locations/{location_id}/descendants': locations,
  '/locations/{location_id}/tags': locations,
  '/locations/{location_id}/tags/{tag_id}': ({ location: mine }, { location: { id, tagId } }) =>
    missing(
      { location_id: id, tag_id: tagId },
      { location_id: mine.id, tag_id: tagId },
      { location_id: id, tag_id: mine.tagId },
    ),
  '/assets/{identifier}': keyedAssets,
  '/assets/{identifier}/history': keyedAssets,
  '/assets/{identifier}/tags': keyedAssets,
  '/assets/{identifier}/tags/{tag_id}': keyedAssetTags,
  '/assets/{identifier}/identifiers': keyedAssets,
  '/assets/{identifier}/identifiers/{tag_id}': keyedAssetTags,
  '/locations/{identifier}': keyedLocations,
  '/locations/{identifier}/ancestors': keyedLocations,
  '/locations/{identifier}/children': keyedLocations,
  '/locations/{identifier}/descendants': keyedLocations,
  '/locations/{identifier}/tags': keyedLocations,
  '/locations/{identifier}/tags/{tag_id}': keyedLocationTags,
  '/locations/{identifier}/identifiers': keyedLocations,
  '/locations/{identifier}/identifiers/{tag_id}': keyedLocationTags,
  '/readers/{reader_id}': readers,
  '/readers/{reader_id}/hours': readers,
  '/readers/{reader_id}/scan-points': readers,
  '/readers/{reader_id}/test-reads': readers,
  '/readers/{reader_id}/messages': readers,
  '/readers/{reader_id}/reads': readers,
  '/readers/{reader_id}/decode': readers,
  '/readers/{reader_id}/scan-points/{scan_point_id}': ({ reader: mine }, { reader: { id, scanPointId } }) =>
    missing(
      { reader_id: id, scan_point_id: scanPointId },
      { reader_id: mine.id, scan_point_id: scanPointId },
      { reader_id: id, scan_point_id: mine.scanPointId },
    ),
  // The reader key of a message is one of the caller's own organization, whoever else has it: scans.int.test.ts.
  '/scans/{reader_key}/{format}': () => [],
  '/scans/{reader_key}/messages': () => [],
  '/rules/{rule_id}': (_mine, { ruleId }) => missing({ rule_id: ruleId }),
  '/rules/{rule_id}/test': (_mine, { ruleId }) => missing({ rule_id: ruleId }),
  '/alerts/{alert_id}': alerts,
  '/alerts/{alert_id}/acknowledge': alerts,
  '/unknown-tags/{unknown_tag_id}': (_mine, { unknownTagId }) => missing({ unknown_tag_id: unknownTagId }),
  '/users/me/sessions/{session_id}': (_mine, { org }) =>
    missing({ session_id: String(jwtParts(org.admin).claims['sid']) }),
  '/webhooks/{webhook_id}': webhooks,
  '/webhooks/{webhook_id}/test': webhooks,
  '/webhooks/{webhook_id}/rotate-secret': webhooks,
  '/webhook-endpoints/{webhook_id}': endpoints,
  '/webhook-endpoints/{webhook_id}/test': endpoints,
  '/webhook-endpoints/{webhook_id}/rotate-secret': endpoints,
  '/webhooks/{webhook_id}/deliveries': webhooks,
  '/webhooks/{webhook_id}/replay': webhooks,
  '/webhooks/{webhook_id}/deliveries/{delivery_id}/resend': deliveries,
  '/webhook-endpoints/{webhook_id}/deliveries': webhooks,
  '/webhook-endpoints/{webhook_id}/deliveries/{delivery_id}': deliveries,
  '/webhook-endpoints/{webhook_id}/deliveries/{delivery_id}/resend': deliveries,
  '/webhook-endpoints/{webhook_id}/replay': webhooks,
  '/webhook-endpoints/{webhook_id}/stats': webhooks,
  '/imports/{import_id}': imports,
  '/imports/{import_id}/rows': imports,
  '/imports/{import_id}/failed-rows': imports,
  '/imports/{import_id}/apply': imports,
  '/exports/{export_id}': exports,
  // A link is for anybody who has it: exports.test.ts.
  '/exports/{export_id}/files/{file_name}': () => [],
  '/floor-plans/{place}': places,
  '/floor-plans/{place}/image': places,
  '/floor-plans/images/{hash}': (_mine, { imageHash }) => missing({ hash: imageHash }),
  '/orgs/{org_id}/api-keys': organizations,
  '/orgs/{org_id}/api-keys/{key_id}': ({ org: mine, key: own }, { org, key }) => [
    { params: { org_id: org.id, key_id: key.id }, status: 403 },
    { params: { org_id: org.id, key_id: key.jti }, status: 403 },
    { params: { org_id: org.id, key_id: own.id }, status: 403 },
    ...missing({ org_id: mine.id, key_id: key.id }, { org_id: mine.id, key_id: key.jti }),
  ],
  '/orgs/{org_id}/audit': organizations,
  '/orgs/{org_id}/export': organizations,
  '/orgs/{org_id}/members': organizations,
  '/orgs/{org_id}/members/{user_id}': ({ org: mine }, { org }) => [
    { params: { org_id: org.id, user_id: org.userId }, status: 403 },
    { params: { org_id: org.id, user_id: mine.userId }, status: 403 },
    ...missing({ org_id: mine.id, user_id: org.userId }),
  ],
  '/orgs/{org_id}/members/{user_id}/reset-link': ({ org: mine }, { org }) => [
    { params: { org_id: org.id, user_id: org.userId }, status: 403 },
    ...missing({ org_id: mine.id, user_id: org.userId }),
  ],
  // One of tracking, which does not know organizations.
  '/orgs/{org_id}/placement': (_mine, { org }) => missing({ org_id: org.id }),
  '/orgs/{org_id}/placement/preview': (_mine, { org }) => missing({ org_id: org.id }),
  '/orgs/{org_id}/provisioning-links': organizations,
  '/orgs/{org_id}': organizations,
  '/orgs/{org_id}/invitations': organizations,
  '/orgs/{org_id}/invitations/{invitation_id}': ({ org: mine, invitationId: own }, { org, invitationId }) => [
    { params: { org_id: org.id, invitation_id: invitationId }, status: 403 },
    { params: { org_id: org.id, invitation_id: own }, status: 403 },
    ...missing({ org_id: mine.id, invitation_id: invitationId }),
  ],
}

/** The plan of all is that of the own organization. */
function places(_mine: World, { location }: World): Attempt[] {
  return missing({ place: location.id })
}

function assets(_mine: World, { asset }: World): Attempt[] {
  return missing({ asset_id: asset.id })
}

/** The legacy vocabulary uses keys. */
function keyedAssets(_mine: World, { asset }: World): Attempt[] {
  return missing({ identifier: asset.external_key })
}

type Tagged = { external_key: string; tagId: number }

const keyedTags = (mine: Tagged, { external_key, tagId }: Tagged): Attempt[] =>
  missing(
    { identifier: external_key, tag_id: tagId },
    { identifier: mine.external_key, tag_id: tagId },
    { identifier: external_key, tag_id: mine.tagId },
  )

function keyedAssetTags(mine: World, theirs: World): Attempt[] {
  return keyedTags(mine.asset, theirs.asset)
}

function keyedLocationTags(mine: World, theirs: World): Attempt[] {
  return keyedTags(mine.location, theirs.location)
}

function keyedLocations(_mine: World, { location }: World): Attempt[] {
  return missing({ identifier: location.external_key })
}

function locations(_mine: World, { location }: World): Attempt[] {
  return missing({ location_id: location.id })
}

function readers(_mine: World, { reader }: World): Attempt[] {
  return missing({ reader_id: reader.id })
}

function alerts(_mine: World, { alertId }: World): Attempt[] {
  return missing({ alert_id: alertId })
}

function imports(_mine: World, { importId }: World): Attempt[] {
  return missing({ import_id: importId })
}

function exports(_mine: World, { exportId }: World): Attempt[] {
  return missing({ export_id: exportId })
}

function webhooks(_mine: World, { webhookId }: World): Attempt[] {
  return missing({ webhook_id: webhookId })
}

function endpoints(_mine: World, { webhookId, endpointId }: World): Attempt[] {
  return missing({ webhook_id: endpointId }, { webhook_id: webhookId })
}

/** Neither webhook has deliveries, because both are off: deliveries.int.test.ts tries those of others. */
function deliveries(_mine: World, { webhookId }: World): Attempt[] {
  return missing({ webhook_id: webhookId, delivery_id: '00000000-0000-4000-8000-000000000000' })
}

/** D9.6: here the reply is 403, whether the organization exists or not. */
function organizations(_mine: World, { org }: World): Attempt[] {
  return [{ params: { org_id: org.id }, status: 403 }]
}

type Reference = {
  /** A valid body, so that only the ids of the path can be refused. */
  valid?: object
  /** Requests on own resources whose bodies name another organization's, with the fields that must be refused. */
  foreign?: (mine: World, theirs: World) => { params?: Params; body: object; fields: string[] }[]
}

const RENAME = { external_key: 'STOLEN-1' }
const TAG = { tag_type: 'barcode', value: 'STOLEN-TAG' }

/** The other organization's location, then its asset. */
function foreignSaves({ asset, location }: World, theirs: World) {
  const save = (one: { external_key: string }, at: { external_key: string }) => ({
    asset_identifiers: [one.external_key],
    location_identifier: at.external_key,
  })
  return [
    { body: save(asset, theirs.location), fields: ['location_identifier'] },
    { body: save(theirs.asset, location), fields: ['asset_identifiers'] },
  ]
}

/** Of a rule about `left`, which needs a location: each list with an id of the other organization. */
const foreignScopes = ({ location }: World, theirs: World) => [
  { scope: { location_ids: [theirs.location.id] }, fields: ['scope.location_ids[0]'] },
  { scope: { location_ids: [location.id, theirs.child.id] }, fields: ['scope.location_ids[1]'] },
  { scope: { location_ids: [location.id], asset_ids: [theirs.asset.id] }, fields: ['scope.asset_ids[0]'] },
]
const RULE = { name: 'Mine', kind: 'left' }

/** For every operation that takes a body and either ids in its path or references in the body. */
export const references: Partial<Record<OperationId | (string & {}), Reference>> = {
  createAsset: {
    foreign: (_mine, { location: { id, external_key } }) => [
      { body: { name: 'Mine', home_location_id: id }, fields: ['home_location_id'] },
      {
        body: { name: 'Mine', home_location_external_key: external_key },
        fields: ['home_location_external_key'],
      },
    ],
  },
  createLocation: {
    foreign: (_mine, { location: { id, external_key } }) => [
      { body: { name: 'Mine', parent_id: id }, fields: ['parent_id'] },
      { body: { name: 'Mine', parent_external_key: external_key }, fields: ['parent_external_key'] },
    ],
  },
  createScanPoint: {
    valid: { antenna: 2, name: 'Stolen' },
    foreign: ({ reader }, { location: { id, external_key } }) => {
      const params = { reader_id: reader.id }
      const point = { antenna: 9, name: 'Mine' }
      return [
        { params, body: { ...point, location_id: id }, fields: ['location_id'] },
        {
          params,
          body: { ...point, location_external_key: external_key },
          fields: ['location_external_key'],
        },
      ]
    },
  },
  updateScanPoint: {
    valid: { name: 'Stolen' },
    foreign: ({ reader }, { location }) => [
      {
        params: { reader_id: reader.id, scan_point_id: reader.scanPointId },
        body: { location_id: location.id },
        fields: ['location_id'],
      },
    ],
  },
  createRule: {
    foreign: (mine, theirs) => [
      ...foreignScopes(mine, theirs).map(({ scope, fields }) => ({ body: { ...RULE, scope }, fields })),
      {
        body: { ...RULE, kind: 'reader_silent', scope: { reader_ids: [theirs.reader.id] } },
        fields: ['scope.reader_ids[0]'],
      },
    ],
  },
  previewRule: {
    foreign: (mine, theirs) =>
      foreignScopes(mine, theirs).map(({ scope, fields }) => ({
        body: { rule: { ...RULE, scope } },
        fields: fields.map((field) => `rule.${field}`),
      })),
  },
  updateRule: {
    valid: { enabled: false },
    foreign: (mine, theirs) =>
      foreignScopes(mine, theirs).map(({ scope, fields }) => ({
        params: { rule_id: mine.ruleId },
        body: { scope },
        fields,
      })),
  },
  acknowledgeAlert: { valid: {} },
  acknowledgeAlerts: {}, // counts those of others like unknown ones: rules.test.ts
  claimUnknownTag: {
    foreign: (_mine, { asset, location }) => [
      { body: { ...TAG, asset_id: asset.id }, fields: ['asset_id'] },
      { body: { ...TAG, asset_external_key: asset.external_key }, fields: ['asset_external_key'] },
      { body: { ...TAG, location_id: location.id }, fields: ['location_id'] },
      { body: { ...TAG, location_external_key: location.external_key }, fields: ['location_external_key'] },
    ],
  },
  updateReader: { valid: { name: 'Stolen' } },
  decodeReaderMessage: { valid: { message: {}, format: 'impinj' } },
  sendTestRead: { valid: { tag_type: 'rfid', value: 'E280' } },
  updateAsset: {
    valid: { name: 'Stolen' },
    foreign: (mine, { location }) => [
      {
        params: { asset_id: mine.asset.id },
        body: { home_location_id: location.id },
        fields: ['home_location_id'],
      },
    ],
  },
  saveAssetBatch: {}, // keys are its own; batches.int.test.ts of catalog
  saveLocationBatch: {}, // an item with another's parent fails alone: batches.int.test.ts of catalog
  updateLocation: {
    valid: { name: 'Stolen' },
    foreign: (mine, { location }) => [
      { params: { location_id: mine.location.id }, body: { parent_id: location.id }, fields: ['parent_id'] },
    ],
  },
  renameAsset: { valid: RENAME },
  renameLocation: { valid: RENAME },
  restoreAsset: { valid: {} },
  replayWebhook: { valid: { from: '2026-01-01T00:00:00Z' } },
  replayEndpoint: { valid: { from: '2026-01-01T00:00:00Z' } },
  saveFloorPlan: {
    valid: { zones: [], readers: [], version: 0 },
    foreign: ({ location }, { child: { id } }) => {
      const zones = [{ location_id: id, points: [[0, 0], [9, 0], [9, 9]] }] // oxfmt-ignore
      const body = { zones, readers: [], version: 2 }
      return [
        { params: { place: 'all' }, body: { ...body, version: 0 }, fields: ['zones[0].location_id'] },
        { params: { place: location.id }, body, fields: ['zones[0].location_id'] },
      ]
    },
  },
  restoreLocation: {
    valid: {},
    foreign: ({ deletedLocationId }, { location }) => [
      {
        params: { location_id: deletedLocationId },
        body: { parent_id: location.id },
        fields: ['parent_id'],
      },
    ],
  },
  // `identifier` is its own key, `identifiers` are its tags.
  createLegacyAsset: {
    foreign: (_mine, { location }) => [
      { body: { name: 'Mine', current_location: location.external_key }, fields: ['current_location'] },
    ],
  },
  updateLegacyAsset: {
    valid: { name: 'Stolen', identifier: 'STOLEN-1', identifiers: [] },
    foreign: ({ asset }, { location }) => [
      {
        params: { identifier: asset.external_key },
        body: { current_location: location.external_key },
        fields: ['current_location'],
      },
    ],
  },
  createLegacyLocation: {
    foreign: (_mine, { location }) => [
      {
        body: { identifier: 'MINE-1', name: 'Mine', parent_identifier: location.external_key },
        fields: ['parent_identifier'],
      },
    ],
  },
  updateLegacyLocation: {
    valid: { name: 'Stolen', identifier: 'STOLEN-1', identifiers: [] },
    foreign: (mine, { location }) => [
      {
        params: { identifier: mine.location.external_key },
        body: { parent_identifier: location.external_key },
        fields: ['parent_identifier'],
      },
    ],
  },
  attachLegacyAssetTag: { valid: { value: 'STOLEN-TAG' } },
  attachLegacyLocationTag: { valid: { value: 'STOLEN-TAG' } },
  attachLegacyAssetIdentifier: { valid: { value: 'STOLEN-TAG' } },
  attachLegacyLocationIdentifier: { valid: { value: 'STOLEN-TAG' } },
  addAssetTag: { valid: TAG },
  addLocationTag: { valid: TAG },
  saveInventory: { foreign: foreignSaves },
  saveLegacyInventory: { foreign: foreignSaves },
  createReader: {}, // `reader_key` is its own key, not a reference
  updateWebhook: { valid: { enabled: true } },
  updateWebhookEndpoint: { valid: { enabled: true } },
  createApiKey: { valid: { name: 'Stolen', scopes: ['assets:read'] } },
  createLegacyApiKey: { valid: { name: 'Stolen', scopes: ['assets:read'] } },
  createToken: {}, // `client_id` is the caller
  createLegacyToken: {},
  logIn: {}, // current-user.int.test.ts of keys: another organization than those of the user is ignored
  eraseAssetHistory: { valid: {} },
  updatePlacement: { valid: { margin_db: 40 } },
  previewPlacement: { valid: { settings: {}, hours: 1 } },
  updateOrg: { valid: { name: 'Stolen' } },
  deleteOrg: { valid: { name: 'Contract suite' } },
  refreshSession: {}, // current-user.int.test.ts of keys: only organizations of the user
  switchOrg: {}, // members.test.ts: only organizations of the user
  updateMember: { valid: { role: 'member' } },
  createInvitation: { valid: { email: 'stolen@example.com', role: 'admin' } },
}
