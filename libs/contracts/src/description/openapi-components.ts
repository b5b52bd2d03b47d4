import type { createDocument } from 'zod-openapi'
import { descriptionOfField, descriptionOfParameter } from './openapi-fields.ts'
import { descriptionOfSchema } from './openapi-schemas.ts'
import { UNDESCRIBED } from '../rules/undescribed.ts'

type Json = Record<string, unknown>
type Document = ReturnType<typeof createDocument>

const isObject = (node: unknown): node is Json => typeof node === 'object' && node !== null

/**
 * Makes the description one that code generators get good code from: named objects, a description at each field and
 * parameter, and no field that is always refused. Changes and returns the document.
 */
export function forGenerators(document: Document): Document {
  const components = (document.components ?? {}) as Record<string, Json>
  const schemas = (components['schemas'] ??= {}) as Record<string, Json>
  for (const operation of operationsOf(document)) {
    nameEnvelopes(operation['responses'] as Record<string, Json>, schemas)
    for (const parameter of (operation['parameters'] ?? []) as Json[]) describeParameter(parameter)
  }
  for (const parameter of Object.values(components['parameters'] ?? {})) describeParameter(parameter as Json)
  for (const [name, schema] of Object.entries(schemas)) describeFields(name, schema)
  for (const schema of Object.values({ ...schemas })) nameParts(schema, schemas)
  for (const [name, schema] of Object.entries(schemas)) schema['description'] ??= descriptionOfSchema(name)
  wrapNullableReferences(document)
  return document
}

export const operationsOf = (document: Document): Json[] =>
  Object.values(document.paths ?? {}).flatMap((item) => Object.values(item as Json).filter(isObject))

/**
 * Null and a reference: OpenAPI 3.0.3 and validators with Ajv want a `type` beside `nullable`. With the reference directly
 * in `allOf`, openapi-python-client then sees the reference alone, and its clients fail at the first null. One level deeper,
 * all generators see both.
 */
function wrapNullableReferences(node: unknown): void {
  if (!isObject(node)) return
  if (node['nullable'] === true && Array.isArray(node['allOf']))
    Object.assign(node, { type: 'object', allOf: [{ allOf: node['allOf'] }] })
  else for (const child of Object.values(node)) wrapNullableReferences(child)
}

/** Generators name a schema without a name themselves: differently for each operation. */
function nameEnvelopes(responses: Record<string, Json>, schemas: Record<string, Json>): void {
  for (const { content } of Object.values(responses))
    for (const media of Object.values((content ?? {}) as Record<string, Json>)) {
      const name = envelopeName(media['schema'] as Json | undefined)
      if (name !== undefined) media['schema'] = named(name, media['schema'] as Json, schemas)
    }
}

/** Names of the objects inside of other schemas, by field. */
const partNames = new Map([
  ['metadata', 'Metadata'],
  ['error', 'ErrorDetails'],
  ['conflict', 'ErrorConflict'],
  ['cursor', 'ErrorCursor'],
])

function nameParts(schema: Json, schemas: Record<string, Json>): void {
  const properties = (schema['properties'] ?? {}) as Record<string, Json>
  for (const [field, part] of Object.entries(properties)) {
    const name = partNames.get(field)
    if (name === undefined || part['type'] !== 'object') continue
    describeFields(name, part)
    nameParts(part, schemas)
    properties[field] = named(name, part, schemas)
  }
}

/** Moves a schema to the components. Returns the reference to it. */
function named(name: string, schema: Json, schemas: Record<string, Json>): Json {
  const known = (schemas[name] ??= schema)
  if (JSON.stringify(known) !== JSON.stringify(schema)) throw new Error(`${name} would name two schemas`)
  return { $ref: `#/components/schemas/${name}` }
}

/** `AssetPage` for a list of `Asset`, `AssetAnswer` for one, `AssetRenamed` for one with its affected descendants. */
function envelopeName(schema: Json | undefined): string | undefined {
  const { data, ...others } = (schema?.['properties'] ?? {}) as Record<string, Json>
  const page = nameOf(data?.['items'] as Json | undefined)
  if (page !== undefined) return 'total_count' in others ? `${page}Page` : `${page}List`
  const single = nameOf(data)
  if (single === undefined) return undefined
  if ('descendant_count_affected' in others) return `${single}Renamed`
  return Object.keys(others).length === 0 ? `${single}Answer` : undefined
}

const nameOf = (schema: Json | undefined): string | undefined =>
  typeof schema?.['$ref'] === 'string' ? schema['$ref'].split('/').at(-1) : undefined

/** Some generators read only the description of the parameter, not the one of its schema. */
function describeParameter(parameter: Json): void {
  const schema = parameter['schema'] as Json | undefined
  if (typeof parameter['name'] !== 'string' || !schema) return
  const special = descriptionOfParameter(parameter['name'])
  const own = (parameter['description'] ?? schema['description']) as string | undefined
  const text = [special, own].filter((part) => part !== undefined).join(' ')
  delete schema['description']
  if (text !== '') parameter['description'] = text
}

function describeFields(name: string, schema: Json): void {
  const properties = (schema['properties'] ?? {}) as Record<string, Json>
  for (const [field, property] of Object.entries(properties)) {
    if (UNDESCRIBED in property) delete properties[field]
    const text = descriptionOfField(name, field)
    // OpenAPI 3.0 ignores what stands beside `$ref`.
    if (text === undefined || '$ref' in property) continue
    const own = property['description']
    if (own === undefined) property['description'] = text
    else if (typeof own === 'string' && own.startsWith('Known values'))
      property['description'] = `${text} ${own}`
  }
}
