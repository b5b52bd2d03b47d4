// Generated from the route table by "pnpm generate". Do not edit.

export const EXAMPLES: Readonly<Record<string, Record<string, unknown>>> = {
  "asset.moved": {"asset":{"id":1,"external_key":"TEST-ASSET","name":"Test Asset"},"from_location":{"id":2,"name":"Test Origin"},"to_location":{"id":3,"name":"Test Destination"}},
  "asset.created": {"asset":{"id":1,"external_key":"TEST-ASSET","name":"Test Asset","description":null,"is_active":true,"valid_from":"2026-11-21T08:30:00.000Z","valid_to":null,"created_at":"2026-11-21T08:30:00.000Z","updated_at":"2026-11-21T08:30:00.000Z","deleted_at":null,"tags":[],"type":"asset","metadata":{},"home_location_id":null,"home_location_external_key":null}},
  "asset.updated": {"asset":{"id":1,"external_key":"TEST-ASSET","name":"Test Asset","description":null,"is_active":true,"valid_from":"2026-11-21T08:30:00.000Z","valid_to":null,"created_at":"2026-11-21T08:30:00.000Z","updated_at":"2026-11-21T08:30:00.000Z","deleted_at":null,"tags":[],"type":"asset","metadata":{},"home_location_id":null,"home_location_external_key":null},"changed":["name"]},
  "asset.deleted": {"asset":{"id":1,"external_key":"TEST-ASSET","name":"Test Asset"}},
  "location.created": {"location":{"id":2,"external_key":"TEST-ORIGIN","name":"Test Origin","description":null,"is_active":true,"valid_from":"2026-11-21T08:30:00.000Z","valid_to":null,"created_at":"2026-11-21T08:30:00.000Z","updated_at":"2026-11-21T08:30:00.000Z","deleted_at":null,"tags":[],"parent_id":null,"parent_external_key":null}},
  "location.updated": {"location":{"id":2,"external_key":"TEST-ORIGIN","name":"Test Origin","description":null,"is_active":true,"valid_from":"2026-11-21T08:30:00.000Z","valid_to":null,"created_at":"2026-11-21T08:30:00.000Z","updated_at":"2026-11-21T08:30:00.000Z","deleted_at":null,"tags":[],"parent_id":null,"parent_external_key":null},"changed":["parent_id"]},
  "location.deleted": {"location":{"id":2,"external_key":"TEST-ORIGIN","name":"Test Origin"}},
  "tag.attached": {"tag":{"id":3,"tag_type":"ble","value":"TEST-TAG"},"asset":{"id":1,"external_key":"TEST-ASSET","name":"Test Asset"}},
  "tag.detached": {"tag":{"id":3,"tag_type":"ble","value":"TEST-TAG"},"asset":{"id":1,"external_key":"TEST-ASSET","name":"Test Asset"}},
  "reader.silent": {"reader":{"id":4,"reader_key":"TEST-READER","name":"Test Reader"},"last_seen":"2026-11-21T08:30:00.000Z"},
  "reader.online": {"reader":{"id":4,"reader_key":"TEST-READER","name":"Test Reader"},"last_seen":"2026-11-21T08:30:00.000Z"},
  "import.finished": {"import":{"id":5,"resource":"assets","dry_run":false,"state":"done","rows_total":2,"rows_done":2,"created":1,"updated":1,"unchanged":0,"failed":0,"warned":0,"tags_removed":0,"encoding":"utf-8","empty_cells":"clear","first_names":["Pump","Fan"],"applied_from":null,"ignored_columns":[],"created_by":null,"created_at":"2026-11-21T08:30:00.000Z","started_at":"2026-11-21T08:30:00.000Z","finished_at":"2026-11-21T08:30:00.000Z"}},
}
