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

/** The keywords of Python, which no field of a class may have as its name. */
const RESERVED = new Set(
  (
    'False None True and as assert async await break class continue def del elif else except finally for from global if ' +
    'import in is lambda nonlocal not or pass raise return try while with yield'
  ).split(' '),
)

type Field = { key: string; type: string }

/** The class of a schema. Before Python 3.11, only a class of its own can have required fields. */
function typedDicts(name: string, { properties, required = [] }: Schema): string[] {
  if (properties === undefined) return [`\n${name} = Dict[str, Any]\n`]
  const fields = Object.entries(properties).map(([key, schema]) => ({ key, type: typeOf(schema, `${name}.${key}`) }))
  const always = fields.filter(({ key }) => required.includes(key))
  const maybe = fields.filter(({ key }) => !required.includes(key))
  if (maybe.length === 0) return [typedDict(name, always)]
  if (always.length === 0) return [typedDict(name, maybe, 'total=False')]
  const [base, others] = [`_${name}Required`, `_${name}Optional`]
  return maybe.some(isReserved)
    ? [typedDict(base, always), typedDict(others, maybe, 'total=False'), `\nclass ${name}(${base}, ${others}):\n    pass\n`]
    : [typedDict(base, always), `\nclass ${name}(${base}, total=False):\n${linesOf(maybe)}`]
} // oxfmt-ignore

function typedDict(name: string, fields: readonly Field[], option?: string): string {
  const more = option === undefined ? '' : `, ${option}`
  if (!fields.some(isReserved)) return `\nclass ${name}(TypedDict${more}):\n${linesOf(fields)}`
  const entries = fields.map(({ key, type }) => `"${key}": ${JSON.stringify(type.replaceAll('"', "'"))}`)
  return `\n${name} = TypedDict("${name}", {${entries.join(', ')}}${more})\n`
}

const isReserved = ({ key }: Field) => RESERVED.has(key)
const linesOf = (fields: readonly Field[]) => fields.map(({ key, type }) => `    ${key}: ${type}\n`).join('')

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
