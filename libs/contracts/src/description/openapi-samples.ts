import type { createDocument } from 'zod-openapi'
import { script, json, python, type Notation } from './openapi-literals.ts'

type Json = Record<string, unknown>
type Document = ReturnType<typeof createDocument>
type Sample = { lang: string; label: string; source: string }

/** One operation, with the examples of its parameters and of its body. */
type Call = {
  operationId: string
  method: string
  /** With names in braces. */
  path: string
  ids: Json
  /** Parameters of the query that it cannot do without. */
  query: Json
  /** The path with the ids in it, below the address of the host. */
  url: string
  body: unknown
  mediaType: string | undefined
  isList: boolean
  hasReply: boolean
  needsToken: boolean
}

/**
 * Gives each operation code that calls it, made of its examples: with curl, and with the packages of both languages if
 * they have the operation. Changes and returns the document.
 */
export function withSamples(document: Document, { packages }: { packages: boolean }): Document {
  // Samples have the address in a variable, so of the server they need the path alone.
  const base = new URL(document.servers?.[0]?.url ?? '/', 'http://host').pathname.replace(/\/$/, '')
  for (const [path, item] of Object.entries(document.paths ?? {}))
    for (const [method, operation] of Object.entries(item as Record<string, Json>)) {
      const call = callOf(base, path, method.toUpperCase(), operation)
      operation['x-codeSamples'] = samplesOf(call).slice(0, packages ? 3 : 1)
    }
  return document
}

function samplesOf(call: Call): Sample[] {
  const callers = call.needsToken ? withToken : forToken
  return [
    { lang: 'shell', label: 'curl', source: callers.curl(call) },
    { lang: 'typescript', label: 'TypeScript', source: callers.typescript(call) },
    { lang: 'python', label: 'Python', source: callers.python(call) },
  ]
}

type Parameter = { in?: string; name: string; required?: boolean; example?: unknown; schema?: Json }

function callOf(base: string, path: string, method: string, operation: Json): Call {
  const parameters = (operation['parameters'] ?? []) as Parameter[]
  const valuesIn = (place: string) =>
    Object.fromEntries(
      parameters
        .filter((parameter) => parameter.in === place && parameter.required === true)
        .map(({ name, example, schema }) => [name, example ?? schema?.['example'] ?? firstOf(schema)]),
    )
  const [ids, query] = [valuesIn('path'), valuesIn('query')]
  const { content } = (operation['requestBody'] ?? {}) as { content?: Record<string, { example?: unknown }> }
  const [mediaType, media] = Object.entries(content ?? {})[0] ?? []
  return {
    operationId: String(operation['operationId']),
    method,
    path,
    ids,
    query,
    url: base + path.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(ids[name])) + textOf(query),
    body: media?.example,
    mediaType,
    isList: parameters.some(({ in: place, name }) => place === 'query' && name === 'offset'),
    hasReply: hasBody(operation['responses'] as Record<string, { content?: unknown }>),
    needsToken: (operation['security'] as unknown[]).length > 0,
  }
}

const firstOf = (schema: Json | undefined): unknown => (schema?.['enum'] as unknown[] | undefined)?.[0]

const textOf = (query: Json): string =>
  Object.entries(query)
    .map(([name, value], i) => `${i === 0 ? '?' : '&'}${name}=${String(value)}`)
    .join('')

/** Whether success has a body. */
const hasBody = (responses: Record<string, { content?: unknown }>): boolean =>
  Object.entries(responses).some(([status, { content }]) => status.startsWith('2') && content !== undefined)

const withToken = {
  curl: ({ method, url, body, mediaType }: Call): string => {
    // With a body, curl sends POST.
    const verb = method === (mediaType === undefined ? 'GET' : 'POST') ? '' : `-X ${method} `
    const parts = [`curl ${verb}"$BASE${url}"`, '-H "Authorization: Bearer $TOKEN"']
    if (mediaType !== undefined) {
      const text = json(body, '  ', 6).replaceAll("'", String.raw`'\''`)
      parts.push(`-H 'Content-Type: ${mediaType}'`, `-d '${text}'`)
    }
    return parts.join(' \\\n  ')
  },

  typescript: ({ operationId, method, path, ids, query, body, isList, hasReply }: Call): string => {
    const hasIds = Object.keys(ids).length > 0
    const hasQuery = Object.keys(query).length > 0
    if (isList) {
      const start = `for await (const row of whereabouts.rows('${path}'`
      return `${start}${argument(script, start, { ...(hasIds && { path: ids }), ...(hasQuery && { query }) })})) {\n  console.log(row)\n}`
    }
    const result = hasReply ? `const { data: ${thingOf(operationId)} } = ` : ''
    const start = `${result}unwrap(await whereabouts.api.${method}('${path}'`
    const request = { ...(hasIds && { params: { path: ids } }), ...(body !== undefined && { body }) }
    return `${start}${argument(script, start, request)}))`
  },

  python: ({ operationId, method, path, ids, query, url, body, isList, hasReply }: Call): string => {
    if (isList) {
      const filters = Object.entries({ ...ids, ...query }).map(
        ([name, value]) => `, ${name}=${python(value)}`,
      )
      return `for row in whereabouts.rows("${path}"${filters.join('')}):\n    print(row)`
    }
    const start = `${hasReply ? `${thingOf(operationId)} = ` : ''}whereabouts.request("${method}", "${url}"`
    const sent = body === undefined ? '' : `, json=${python(body, '', start.length + 7)}`
    return `${start}${sent})${hasReply ? '["data"]' : ''}`
  },
}

/** Both packages exchange the key themselves. */
const forToken = {
  curl: ({ url }: Call): string =>
    [`curl "$BASE${url}"`, '-u "$CLIENT_ID:$CLIENT_SECRET"', '-d grant_type=client_credentials'].join(
      ' \\\n  ',
    ),

  typescript: ({ url }: Call): string =>
    `// The package does this for you. Without it:
const response = await fetch(\`\${process.env.BASE}${url}\`, {
  method: 'POST',
  headers: { 'Content-Type': 'application/json', 'User-Agent': 'my-warehouse/1.0' },
  body: JSON.stringify({
    grant_type: 'client_credentials',
    client_id: process.env.CLIENT_ID,
    client_secret: process.env.CLIENT_SECRET,
  }),
})
const { access_token } = await response.json()`,

  python: ({ url }: Call): string =>
    `# The package does this for you. Without it:
from os import environ
import httpx

response = httpx.post(
    environ["BASE"] + "${url}",
    headers={"User-Agent": "my-warehouse/1.0"},
    json={
        "grant_type": "client_credentials",
        "client_id": environ["CLIENT_ID"],
        "client_secret": environ["CLIENT_SECRET"],
    },
)
access_token = response.json()["access_token"]`,
}

/** The last argument of a call, if it has one. */
const argument = (notation: Notation, start: string, value: object): string =>
  Object.keys(value).length === 0 ? '' : `, ${notation(value, '', start.length + 2)}`

/** What an operation returns, as in `createAsset` and `addAssetTag`. */
function thingOf(operationId: string): string {
  const thing = /[A-Z][a-z]+$/.exec(operationId)?.[0].toLowerCase() ?? 'data'
  return thing === 'export' ? 'result' : thing // a reserved word
}
