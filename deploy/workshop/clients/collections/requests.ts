import type { Description } from '@whereabouts/contracts/description/openapi'

export type Field = { name: string; value: string; description: string; isOn: boolean }

export type CollectedRequest = {
  name: string
  method: string
  /** From `/api`, with names in braces. */
  path: string
  /** Names in the path. Each is a variable of the collection. */
  ids: readonly Field[]
  query: readonly Field[]
  headers: readonly Field[]
  body: string | undefined
  description: string
  isForToken: boolean
  /** The variable that takes the id of what was created, or of the first row. */
  keeps: string | undefined
}

export type Folder = { name: string; description: string; requests: readonly CollectedRequest[] }

/** What a collection has, for each program. `variables`: those of paths, with their examples. */
export type Collection = { folders: readonly Folder[]; variables: ReadonlyMap<string, string> }

type Value = string | number | boolean

type Parameter = {
  $ref?: string
  in: string
  name: string
  required?: boolean
  description?: string
  example?: Value
  schema?: { example?: Value; default?: Value; enum?: Value[] }
}

type Operation = {
  summary: string
  description: string
  tags: [string]
  security: unknown[]
  parameters?: Parameter[]
  requestBody?: { content: Record<string, { example?: unknown }> }
}

export const INTRODUCTION = `All operations of the Whereabouts API. Set the variables \`baseUrl\` (such as https://whereabouts.example.com), \`client_id\` and
\`client_secret\`. Each request gets a token itself, and a new one when it ends. What you create is what the next requests read,
change and delete: its id goes into a variable.`

/** A folder per group of the reference, in its order. */
export function collect(description: Description): Collection {
  const named = (description.components?.parameters ?? {}) as Record<string, Parameter>
  const paths = Object.entries(description.paths ?? {})
  const collected = paths.flatMap(([path, item]) =>
    Object.entries(item as Record<string, Operation>).map(([method, operation]) => {
      const parameters = (operation.parameters ?? []).map((one) => named[one.$ref?.split('/').at(-1) ?? ''] ?? one)
      return request(path, method.toUpperCase(), operation, parameters, Object.keys(description.paths ?? {}))
    }),
  )
  const folders = (description.tags ?? []).map((tag) => ({
    name: tag.name,
    description: readable(tag.description ?? ''),
    requests: collected.filter((one) => one.tag === tag.name).toSorted((a, b) => lateness(a) - lateness(b)),
  }))
  const ids = collected.flatMap((one) => one.examples)
  return { folders, variables: new Map(ids) }
} // oxfmt-ignore

/** So that a folder can run from top to bottom: batches name what was created, and what deletes comes last, inner things first. */
const lateness = ({ method, path }: CollectedRequest) =>
  method === 'DELETE' ? 1 + 1 / path.length : Number(path.endsWith('/batch'))

function request(
  path: string,
  method: string,
  operation: Operation,
  parameters: readonly Parameter[],
  paths: readonly string[],
): CollectedRequest & { tag: string; examples: [string, string][] } {
  const inPath = parameters.filter((one) => one.in === 'path')
  const [mediaType, media] = Object.entries(operation.requestBody?.content ?? {})[0] ?? []
  const isForToken = operation.security.length === 0
  const type = { name: 'Content-Type', value: mediaType ?? '', description: '', isOn: true }
  return {
    tag: operation.tags[0],
    name: operation.summary,
    method,
    path,
    ids: inPath.map(idField),
    query: parameters.filter((one) => one.in === 'query').map(field),
    headers: [
      ...(mediaType === undefined ? [] : [type]),
      ...parameters.filter((one) => one.in === 'header' && one.name !== 'X-Request-ID').map(header),
    ],
    body: media && bodyOf(media.example, isForToken),
    description: readable(operation.description),
    isForToken,
    keeps: kept(path, method, paths),
    examples: inPath.map((one) => [one.name, field(one).value]),
  }
} // oxfmt-ignore

/** With the key of the variables, and without a parent, which a new organization does not have. */
function bodyOf(example: unknown, isForToken: boolean): string {
  const { parent_external_key: _parent, ...others } = example as Record<string, unknown>
  return JSON.stringify(isForToken ? { ...others, ...KEY } : others, null, 2)
}

const KEY = { client_id: '{{client_id}}', client_secret: '{{client_secret}}' }

function field({ name, required = false, description = '', example, schema }: Parameter): Field {
  const value = example ?? schema?.example ?? schema?.default ?? schema?.enum?.[0] ?? ''
  return { name, value: String(value), description: readable(description), isOn: required }
}

const idField = (parameter: Parameter): Field => ({ ...field(parameter), value: `{{${parameter.name}}}` })

/** The programs of collections make a UUID for `{{$guid}}`. */
function header(parameter: Parameter): Field {
  const isName = parameter.name === 'Idempotency-Key'
  return isName ? { ...field(parameter), value: '{{$guid}}', isOn: true } : field(parameter)
}

/**
 * `asset_id` of `POST /assets`, because there is a path `/assets/{asset_id}`. A list is kept only of what nobody creates: to
 * list assets and then to delete one must not delete the first.
 */
function kept(path: string, method: string, paths: readonly string[]): string | undefined {
  if (path.endsWith('/orgs/me')) return 'org_id'
  const inner = paths.find((one) => one.startsWith(`${path}/{`))?.slice(path.length + 2)
  const isList = method === 'GET' && path.endsWith('/deliveries')
  return method === 'POST' || isList ? inner?.split('}')[0] : undefined
}

/** Links to the guides, which have no host in a collection. */
const readable = (text: string) => text.replaceAll(/\[([^\]]+)\]\((\/[^)]+)\)/g, '$1 (`$2`)')
