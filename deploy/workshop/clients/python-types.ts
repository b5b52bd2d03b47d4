/** A schema of the description, as far as it matters for types. */
type Schema = {
  $ref?: string
  allOf?: [Schema]
  type?: string
  nullable?: boolean
  enum?: string[]
  items?: Schema
  properties?: Record<string, Schema>
  required?: string[]
}

const PLAIN: Record<string, string> = {
  string: 'str',
  integer: 'int',
  number: 'float',
  boolean: 'bool',
  object: 'Dict[str, Any]',
}

const HEAD = `# Generated from the route table by "pnpm generate". Do not edit.
from __future__ import annotations

from typing import Any, Dict, List, Literal, Optional, TypedDict
`

/** A module with a TypedDict for each schema of a description, in the syntax of Python 3.9. */
export function pythonTypes(description: object): string {
  const { components } = description as { components: { schemas: Record<string, Schema> } }
  const { AssetCreate, LocationCreate } = components.schemas
  const all = {
    ...components.schemas,
    AssetFields: fieldsOf(AssetCreate),
    LocationFields: fieldsOf(LocationCreate),
  }
  return [HEAD, ...Object.entries(all).flatMap(([name, schema]) => typedDicts(name, schema))].join('\n')
}

/** What may be set of a resource that has an external key. */
function fieldsOf({ properties, ...create }: Schema = {}): Schema {
  const { external_key: _, ...fields } = properties ?? {}
  return { ...create, properties: fields }
}

/** Words of Python that a field may have as its name. A class cannot have such a field. */
const RESERVED = new Set([
  'import',
  'from',
  'in',
  'is',
  'class',
  'def',
  'global',
  'lambda',
  'pass',
  'return',
  'with',
])

/** The class of a schema. Before Python 3.11, only a class of its own can have required fields. */
function typedDicts(name: string, { properties, required = [] }: Schema): string[] {
  if (properties === undefined) return [`\n${name} = Dict[str, Any]\n`]
  const fields = Object.entries(properties).map(([key, schema]) => ({
    key,
    type: typeOf(schema, `${name}.${key}`),
    isRequired: required.includes(key),
  }))
  const always = fields.filter(({ isRequired }) => isRequired)
  const maybe = fields.filter(({ isRequired }) => !isRequired)
  if (maybe.length === 0) return [typedDict(name, always, {})]
  if (always.length === 0) return [typedDict(name, maybe, { isTotal: false })]
  const base = `_${name}Required`
  return [typedDict(base, always, {}), typedDict(name, maybe, { isTotal: false, base })]
}

type Field = { key: string; type: string }

/** A class, or a call where the name of a field is a word of Python. */
function typedDict(name: string, fields: readonly Field[], of: { isTotal?: false; base?: string }): string {
  const { isTotal, base } = of
  const total = isTotal === false ? ', total=False' : ''
  if (!fields.some(({ key }) => RESERVED.has(key)))
    return `\nclass ${name}(${base ?? 'TypedDict'}${total}):\n${fields.map(({ key, type }) => `    ${key}: ${type}\n`).join('')}`
  if (base !== undefined) throw new Error(`${name} has an optional field that is a word of Python`)
  const entries = fields.map(({ key, type }) => `"${key}": "${type}"`)
  return `\n${name} = TypedDict("${name}", {${entries.join(', ')}}${total})\n`
}

function typeOf(schema: Schema, where: string): string {
  const type = nonNullType(schema, where)
  return schema.nullable ? `Optional[${type}]` : type
}

function nonNullType(schema: Schema, where: string): string {
  if (schema.allOf) return typeOf(schema.allOf[0], where)
  if (schema.$ref) return schema.$ref.replace('#/components/schemas/', '')
  if (schema.items) return `List[${typeOf(schema.items, where)}]`
  if (schema.enum) return `Literal[${schema.enum.map((value) => JSON.stringify(value)).join(', ')}]`
  const plain = PLAIN[schema.type ?? '']
  if (plain === undefined || schema.properties)
    throw new Error(`${where} has a schema without a type in Python`)
  return plain
}
