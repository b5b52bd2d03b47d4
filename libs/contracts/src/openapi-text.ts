import type { Access, Route } from './route.ts'

/** Texts of the API description that belong to no single row. */

const COMMON = `
## Calling

Exchange the client credentials of an API key at \`POST /api/v1/oauth/token\` for an access token, which lives 15
minutes, and send it as \`Authorization: Bearer <access token>\`. Send a \`User-Agent\` that names your product: a missing
one, and the defaults of HTTP libraries, are answered 403 in plain text. Every GET accepts HEAD as well.

## Answers

One resource comes as \`{ "data": … }\`, a list as \`{ "data": [ … ], "limit", "offset", "total_count" }\`. Timestamps are
RFC 3339 in UTC with milliseconds; any offset is accepted. Ids are opaque 64-bit integers. Fields may be added to
replies, and values to whatever is marked \`x-extensible-enum\`: tolerate those you do not know.

## Errors

Every other status comes as \`{ "error": { … } }\`, see the schema \`Error\`: branch on \`type\`, and on \`fields[].code\` for
\`validation_error\`, which names every problem of the request at once. A path without the method answers 405 with
\`Allow\`, an unknown path 404, both before the token is looked at. Retry 429 after \`Retry-After\`, 500 and 503 with
backoff, other 4xx not at all.

## Rate limit

Each API key has a bucket of 120 requests that gains 60 a minute. Counted are all GETs but \`/orgs/me\`, and every write
that does not say otherwise. Counted GETs carry \`X-RateLimit-*\`; an empty bucket answers 429. A signed-in user has
a bucket of 1 200 that gains 600 a minute, over all sessions; every request counts, and none carries the headers.
`

export const INTRODUCTION = `Assets, locations, and which asset is where. Every organization sees its own data only.\n${COMMON}`

export const LEGACY_INTRODUCTION = `The older vocabulary (\`identifier\`, \`identifiers\`, PUT, natural keys in paths) over the same data, with the same
credentials and errors. It is deprecated: every answer carries \`Deprecation: true\`, and \`Sunset\` once the date is set,
after which every path answers 410 \`gone\`. New integrations use the description at \`/api/openapi.json\`.
${COMMON}`

/** By the first segment of a path. */
const TAGS: Record<string, { name: string; description: string }> = {
  oauth: { name: 'Tokens', description: 'Client credentials become access tokens.' },
  orgs: { name: 'Organization', description: 'The organization of a key, and its API keys.' },
  assets: { name: 'Assets', description: 'Things, people and stock that carry tags.' },
  locations: { name: 'Locations', description: 'Places, one inside another.' },
  reports: { name: 'Reports', description: 'Where assets were last seen.' },
  inventory: { name: 'Inventory', description: 'Saying by hand where assets are.' },
}

export function tagOf({ path }: Pick<Route, 'path'>): { name: string; description: string } {
  const segment = path.split('/')[1] ?? ''
  return TAGS[segment] ?? { name: segment, description: `Everything below \`/${segment}\`.` }
}

const MERGE_PATCH = `The body is a JSON merge patch (RFC 7396): absent leaves a field alone, null clears it, a value sets
it. Read-only fields are accepted when equal to what is stored, so what was read may be sent back; a stale \`updated_at\`
is refused.`

/** The description of the row, then who may call it and whether it is counted. */
export function describeOperation(row: Route): string {
  const parts = [
    row.description,
    row.mediaTypes?.includes('application/merge-patch+json') === true
      ? MERGE_PATCH.replaceAll('\n', ' ')
      : undefined,
    `**Access:** ${whoMayCall(row.access)}`,
    `**Rate limit:** ${row.counted ? 'counted.' : 'not counted.'}`,
  ]
  return parts.filter((part) => part !== undefined).join('\n\n')
}

function whoMayCall(access: Access): string {
  switch (access) {
    case 'none':
      return 'anyone; no token needed.'
    case 'key':
      return 'any API key; no scope needed. Session tokens are refused.'
    case 'session':
      return 'any signed-in user.'
    case 'admin':
      return 'a signed-in administrator of the organization.'
    case 'session-or-keys-admin':
      return 'an API key with the scope `keys:admin`, or a signed-in administrator of the organization.'
    case 'scans:read':
      return 'an API key with the scope `scans:read` (or its other name, `tracking:read`), or a session.'
    default:
      return `an API key with the scope \`${access}\`, or a session.`
  }
}
