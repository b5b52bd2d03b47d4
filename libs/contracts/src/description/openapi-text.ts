import { RELEASE } from '../release.ts'
import type { Role } from '../principal.ts'
import { leastRole, type Access, type Route, type Scope } from '../route.ts'

/** Texts of the API description that belong to no single row. */

const COMMON = `
The [quick start](/docs/quick-start) leads from an API key to a first located asset, and [Integrating](/docs/integrating) to a
working integration. [Recipes](/docs/recipes) has code for common tasks, [Readers](/docs/readers) connects the readers.

Messages of readers over NATS and MQTT, and the requests of webhooks, are described as [AsyncAPI](/api/asyncapi.json).

## Requests

Exchange the client credentials of an API key for an access token at \`POST /api/v1/oauth/token\`. Send the token as
\`Authorization: Bearer <access token>\`. It expires after 15 minutes.

Send a \`User-Agent\` that names your product. If the header is missing, empty or a default of an HTTP library, the API
responds with 403 in plain text.

Every GET also accepts HEAD.

## Responses

A single resource is \`{ "data": … }\`. A list is \`{ "data": [ … ], "limit", "offset", "total_count" }\`. Timestamps are
RFC 3339 in UTC with milliseconds. Requests may use any offset. Ids are opaque 64-bit integers.

[Lists](/docs/integrating#lists) explains pages, filters, search and order.

Responses may gain fields. Fields marked \`x-extensible-enum\` may gain values. Your client must accept unknown
fields and values.

## Errors

An error is \`{ "error": { … } }\`, see the schema \`Error\`. Branch on \`type\`. A \`validation_error\` lists every
problem of the request in \`fields\`: branch on \`fields[].code\`.

An unknown path gets 404. A method that the path does not support gets 405 with \`Allow\`. The API checks both before
authentication.

[Errors](/docs/errors) says what to do about each.

Retry 429 after \`Retry-After\`. Retry 500 and 503 with backoff. Do not retry other 4xx.

## Rate limit

Each API key has a bucket of 120 requests that gains 60 a minute. Every GET except \`/orgs/me\` counts. Every
write counts unless its operation says otherwise. Responses to counted GETs carry \`X-RateLimit-*\`. If the bucket is
empty, the API responds with 429.

A signed-in user has a bucket of 1 200 requests that gains 600 a minute. All sessions of the user share it. Every
request counts, and no response carries the headers.

All limits are at [Limits](/docs/limits).
`

const SHELL_VARIABLES = `
## Code samples

The samples with curl use these variables. \`BASE\` is the address before \`/api\`:

~~~sh
TOKEN=$(curl -s "$BASE/api/v1/oauth/token" -u "$CLIENT_ID:$CLIENT_SECRET" -d grant_type=client_credentials |
  grep -o '"access_token":"[^"]*' | cut -d'"' -f4)
~~~
`

/** What the samples of `withSamples` leave out. */
const PACKAGES = `
Those in TypeScript and Python use our packages, which request and renew the token, retry, and read all pages of a list. This
system has the files at [/downloads/](/downloads/): \`npm install "$BASE/downloads/whereabouts-client-${RELEASE}.tgz"\`,
\`pip install "$BASE/downloads/whereabouts-${RELEASE}-py3-none-any.whl"\`. All functions:
[TypeScript](/docs/clients/typescript), [Python](/docs/clients/python), [command line](/docs/clients/command-line).

~~~ts
import { createWhereabouts, unwrap } from "@whereabouts/client"

const { BASE: baseUrl, CLIENT_ID: clientId, CLIENT_SECRET: clientSecret } = process.env
const whereabouts = createWhereabouts({ baseUrl, clientId, clientSecret, userAgent: 'my-warehouse/1.0' })
~~~

~~~python
from os import environ
from whereabouts import Whereabouts

key = environ["CLIENT_ID"], environ["CLIENT_SECRET"]
whereabouts = Whereabouts(environ["BASE"], *key, "my-warehouse/1.0")
~~~
`

export const INTRODUCTION = `Manage assets and locations, and see which asset is where. Each organization sees only its
own data.
${COMMON}${SHELL_VARIABLES}${PACKAGES}`

export const LEGACY_INTRODUCTION = `The legacy vocabulary serves the same data with the same credentials and errors. It uses
\`identifier\`, \`identifiers\`, PUT, and external keys in paths.

It is deprecated. Every response carries \`Deprecation: true\`, and \`Sunset\` once a date is set. After that date, every
path responds with 410 \`gone\`. For new integrations, use the description at \`/api/openapi.json\`.
${COMMON}${SHELL_VARIABLES}`

export const SCOPES: Record<Scope, string> = {
  'assets:read': 'Read assets and their tags.',
  'assets:write': 'Create, change and delete assets and their tags.',
  'locations:read': 'Read locations and their tags.',
  'locations:write': 'Create, change and delete locations and their tags.',
  'scans:read': 'Read reports and history.',
  'scans:write': 'Send scans and save inventories.',
  'keys:admin': 'Full administration of the API keys of the organization.',
  'webhooks:admin': 'Read, change and test webhooks, their deliveries and their secrets.',
  'tracking:read': 'The same as `scans:read`.',
  'events:read': 'Follow events of all types.',
  'audit:read': 'Read who did what.',
  'rules:read': 'Read rules and alerts, and preview rules.',
  'rules:write': 'Create, change and delete rules, and acknowledge alerts.',
}

type Tag = { name: string; description: string; externalDocs?: { description: string; url: string } }

/** A section of the description and the page of the documentation that explains it. */
const tag = (name: string, text: string, page: string, url: string): Tag => ({
  name,
  // Also as a link, because the page of the reference does not show `externalDocs`.
  description: `${text} Guide: [${page}](${url}).`,
  externalDocs: { description: page, url },
})

/** By the first segment of a path. */
const TAGS: Record<string, Tag> = {
  oauth: tag('Tokens', 'Exchange client credentials for access tokens.', 'Integrating', '/docs/integrating'),
  orgs: tag(
    'Organization',
    'The organization of a key and its API keys.',
    'Quick start',
    '/docs/quick-start',
  ),
  limits: tag('Limits', 'What an organization may store, and stores.', 'Limits', '/docs/limits'),
  assets: tag('Assets', 'Things, people and stock that carry tags.', 'Concepts', '/docs/concepts'),
  locations: tag(
    'Locations',
    'Places in a hierarchy, such as sites, halls and docks.',
    'Concepts',
    '/docs/concepts',
  ),
  movements: tag(
    'Movements',
    'Every change of the location of an asset, newest first.',
    'Keeping an ERP in step',
    '/docs/syncing',
  ),
  visits: tag('Visits', 'Unbroken stays of assets at locations.', 'Concepts', '/docs/concepts'),
  exports: tag('Exports', 'History and more as files, for other tools.', 'Exports', '/docs/exports'),
  reports: tag('Reports', 'Where assets were last seen.', 'Recipes', '/docs/recipes'),
  events: tag(
    'Events',
    'What happens: to follow in one order, or sent to your webhook.',
    'Events',
    '/docs/events',
  ),
  scans: tag('Scans', 'What readers send over HTTPS.', 'Readers', '/docs/readers'),
  webhooks: tag('Webhook', 'Where events are sent, and with which secret.', 'Webhooks', '/docs/webhooks'),
  'webhook-endpoints': tag(
    'Webhook endpoints',
    'Several receivers of events, each with its own types, filter and secret, and what became of their deliveries.',
    'Webhooks',
    '/docs/webhooks',
  ),
  rules: tag('Rules', 'What to tell of assets and readers.', 'Rules and alerts', '/docs/rules'),
  alerts: tag('Alerts', 'What rules have told.', 'Rules and alerts', '/docs/rules'),
  inventory: tag('Inventory', 'Save the current location of assets.', 'Recipes', '/docs/recipes'),
}

export function tagOf({ path }: Pick<Route, 'path'>): Tag {
  const segment = path.split('/')[1] ?? ''
  return TAGS[segment] ?? { name: segment, description: `Operations below \`/${segment}\`.` }
}

const MERGE_PATCH = `The body is a JSON merge patch (RFC 7396): an absent field stays unchanged, null clears a field, a
value sets it. Read-only fields are accepted if they equal the stored values, so you can send back a resource as you
read it. Responds with 400 if \`updated_at\` is stale.`

/** The description of the row, then who may call it and whether it is counted. */
export function describeOperation(row: Route): string {
  const parts = [
    row.description,
    // The webhook has no read-only fields in its body and clears none: its own text says what a field left out means.
    row.upstream === 'catalog' && row.mediaTypes?.includes('application/merge-patch+json') === true
      ? MERGE_PATCH.replaceAll('\n', ' ')
      : undefined,
    `**Access:** ${whoMayCall(row)}`,
    `**Rate limit:** ${row.counted ? 'counted.' : 'not counted.'}`,
  ]
  return parts.filter((part) => part !== undefined).join('\n\n')
}

function whoMayCall(row: Route): string {
  if (row.access === 'none') return 'anyone. No token required.'
  if (row.access === 'key') return 'any API key. No scope required. Session tokens are refused.'
  const person = PEOPLE[leastRole(row)]
  if (row.access === 'session') return `${person}.`
  return `${keysWith(row.access)}, or ${person}.${NOTES[row.access] ?? ''}`
}

/** By least role. */
const PEOPLE: Record<Role, string> = {
  admin: 'a signed-in administrator of the organization',
  member: 'a signed-in member or administrator',
  viewer: 'any signed-in user',
}

const keysWith = (access: Access) =>
  access === 'any'
    ? 'any API key'
    : `an API key with the scope \`${access}\`${access === 'scans:read' ? ' or its alias `tracking:read`' : ''}`

const NOTES: Partial<Record<Access, string>> = {
  any: ' No scope required.',
  'events:read': ' See also the types that `scans:read` may follow.',
}
