import type { OperationId } from '@whereabouts/contracts/routes'
import { Ajv, type ValidateFunction } from 'ajv'
import { expect } from 'vitest'
import type { HttpReply } from './http.ts'

type Json = { [key: string]: unknown }
type Operation = { operationId: string; responses: Record<string, Json> }
type Document = { paths: Record<string, Record<string, Operation>>; components: Json }

export type Description = {
  /** The described statuses of an operation, ascending; undefined if it is not described. */
  statusesOf(operationId: OperationId): number[] | undefined
  /** Fails unless the reply matches the description of the operation in every header and field. */
  check(operationId: OperationId, reply: HttpReply, hasBody: boolean): void
}

/** Compiles descriptions (3.0.3) into checks. If several describe an operation, the first one counts. */
export function readDescriptions(texts: readonly string[]): Description {
  const operations = new Map<string, OperationCheck>()
  for (const text of texts) {
    const document = JSON.parse(text) as Document
    const compile = compilerFor(document)
    for (const operation of Object.values(document.paths).flatMap((item) => Object.values(item)))
      if (!operations.has(operation.operationId))
        operations.set(operation.operationId, { document, operation, compile, checks: new Map() })
  }
  return {
    statusesOf: (operationId) => {
      const found = operations.get(operationId)
      const statuses = Object.keys(found?.operation.responses ?? {}).filter((key) => key !== 'default')
      return found && statuses.map(Number)
    },
    check(operationId, reply, hasBody) {
      const found = operations.get(operationId)
      expect(found, `${operationId} is in no description`).toBeDefined()
      if (found) checkAgainst(found, reply, hasBody)
    },
  }
}

type OperationCheck = {
  document: Document
  operation: Operation
  compile: (schema: unknown) => ValidateFunction
  checks: Map<number, ValidateFunction>
}

function checkAgainst(found: OperationCheck, { status, headers, text }: HttpReply, hasBody: boolean): void {
  const { document, operation, compile, checks } = found
  const where = `${operation.operationId} → ${status} ${text.slice(0, 500)}`
  const documented = operation.responses[String(status)]
  expect(documented, `a status that is not described: ${where}`).toBeDefined()
  const response = resolve(document, documented) as {
    headers?: Record<string, Json>
    content?: Record<string, { schema: unknown }>
  }
  for (const [name, header] of Object.entries(response.headers ?? {}))
    if (resolve(document, header)['required'] === true)
      expect(headers.get(name), `header ${name} of ${where}`).not.toBeNull()
  if (!hasBody) return
  const type = headers.get('content-type') ?? ''
  if (response.content?.[type] && !type.startsWith('application/json')) return // a file of the described type
  const schema = response.content?.['application/json']?.schema
  if (!schema) return expect(text, where).toBe('')
  const check = checks.get(status) ?? compile(schema)
  checks.set(status, check)
  expect(check(JSON.parse(text)) ? [] : check.errors, where).toEqual([])
}

function resolve(document: Document, node: unknown): Json {
  const { $ref } = node as { $ref?: string }
  if ($ref === undefined) return node as Json
  const found = $ref
    .slice(2)
    .split('/')
    .reduce<unknown>((at, key) => (at as Json)[key], document)
  return resolve(document, found)
}

/** The exact formats of our replies: instants are UTC with three fraction digits. */
const formats = {
  'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/,
  uuid: /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/,
  int64: { type: 'number', validate: (value: number) => Number.isSafeInteger(value) },
} as const

function compilerFor(document: Document): (schema: unknown) => ValidateFunction {
  const ajv = new Ajv({ strict: false, allErrors: true, formats })
  ajv.addSchema({ $id: 'description', components: closed(document.components) as Json })
  return (schema) => ajv.compile(closed(schema) as Json)
}

/**
 * The same schema, stricter and in the dialect of ajv. Clients must tolerate new fields, but here a field that the
 * description lacks is a mistake. `nullable` becomes a choice, also next to `$ref`.
 */
function closed(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(closed)
  if (typeof node !== 'object' || node === null) return node
  const { nullable, example: _example, examples: _examples, ...rest } = node as Json
  const schema = Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, closed(value)]))
  if (typeof schema['$ref'] === 'string') schema['$ref'] = `description${schema['$ref']}`
  if (schema['type'] === 'object' && schema['properties'] && schema['additionalProperties'] === undefined)
    schema['additionalProperties'] = false
  return nullable === true ? { anyOf: [schema, { type: 'null' }] } : schema
}
