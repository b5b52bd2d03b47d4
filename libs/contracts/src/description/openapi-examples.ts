import type { createDocument } from 'zod-openapi'

type Json = Record<string, unknown>
type Document = ReturnType<typeof createDocument>
type Content = Record<string, { schema?: Json; example?: unknown; examples?: unknown }>

/** Replaces a value for which no schema has an example. A test finds it in the public description. */
export const NO_EXAMPLE = 'no example'

/**
 * Gives each body of a request and of a success an example, made from those of its schemas. So a new row has one
 * automatically, and none contradicts its schema. Changes and returns the document.
 */
export function withExamples(document: Document): Document {
  const schemas = (document.components?.schemas ?? {}) as Record<string, Json>
  const fill = (content: Content | undefined, make: (schema: Json) => unknown) => {
    for (const media of Object.values(content ?? {}))
      if (media.schema && media.example === undefined && media.examples === undefined)
        media.example = make(media.schema)
  }
  const operations = Object.values(document.paths ?? {}).flatMap((item) => Object.values(item as object))
  for (const { requestBody, responses } of operations as { requestBody?: Json; responses: Json }[]) {
    const request = requestBody?.['content'] as Content | undefined
    fill(request, (schema) => exampleOf(schema, schemas, 'request'))
    const sent = Object.values(request ?? {})[0]?.example
    for (const response of Object.values(responses) as Json[])
      fill(response['content'] as Content | undefined, (schema) =>
        withSent(exampleOf(schema, schemas, 'reply'), sent),
      )
  }
  return document
}

/** The response of a write shows the values that its request sends. Instants differ in form, and tags gain ids. */
function withSent(reply: unknown, sent: unknown): unknown {
  const data = isObject(reply) ? reply['data'] : undefined
  if (!isObject(data) || !isObject(sent)) return reply
  const same = Object.entries(sent).filter(
    ([name, value]) => name in data && !Array.isArray(value) && !/_(?:at|from|to)$/.test(name),
  )
  const shown = same.map(([name, value]) => {
    const known = data[name]
    return [name, isObject(known) && isObject(value) ? { ...known, ...value } : value] as const
  })
  return { ...(reply as Json), data: { ...data, ...Object.fromEntries(shown) } }
}

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

type Direction = 'request' | 'reply'

function exampleOf(given: Json, schemas: Record<string, Json>, direction: Direction): unknown {
  const schema = resolve(given, schemas)
  if (schema['nullable'] === true) return null // its example, if any, is that of the other value
  if ('example' in schema) return schema['example']
  const { default: fallback, enum: values, type } = schema
  if (fallback !== undefined) return fallback
  if (Array.isArray(values)) return values[0]
  if (type === 'array') return [exampleOf(schema['items'] as Json, schemas, direction)]
  if (type === 'object') return objectExample(schema, schemas, direction)
  return plainExample(schema)
}

function resolve(schema: Json, schemas: Record<string, Json>): Json {
  const { $ref, allOf, ...rest } = schema
  if (typeof $ref === 'string') return resolve(schemas[$ref.split('/').at(-1) ?? ''] ?? {}, schemas)
  if (!Array.isArray(allOf)) return schema
  return { ...resolve(allOf[0] as Json, schemas), ...rest } // zod writes a nullable component like this
}

function objectExample(schema: Json, schemas: Record<string, Json>, direction: Direction): Json {
  const properties = Object.entries((schema['properties'] ?? {}) as Record<string, Json>)
  const shown = properties.filter(([, property]) => direction === 'reply' || property['readOnly'] !== true)
  const values = shown.map(([name, property]) => [name, exampleOf(property, schemas, direction)] as const)
  // In requests a missing field means the same as null nearly everywhere, and it is shorter.
  return Object.fromEntries(values.filter(([, value]) => direction === 'reply' || value !== null))
}

function plainExample({ type, format, minimum }: Json): unknown {
  if (type === 'boolean') return true
  if (type === 'integer' || type === 'number') return typeof minimum === 'number' ? minimum : 1
  if (format === 'date-time') return '2026-11-21T10:00:00.000Z'
  if (format === 'uuid') return '8f14e45f-ceea-467f-a8d6-1c5e3b1d6b7a'
  return NO_EXAMPLE
}
