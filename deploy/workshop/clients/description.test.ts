import specification from '@asyncapi/specs/schemas/3.0.0.json' with { type: 'json' }
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { messageDescription } from '@whereabouts/contracts/description/asyncapi'
import { legacyDescription, publicDescription } from '@whereabouts/contracts/description/openapi'
import { Ajv } from 'ajv'
import { expect, test } from 'vitest'

const LINTER = join(import.meta.dirname, 'node_modules/@redocly/cli/bin/cli.js')
const CONFIG = join(import.meta.dirname, 'redocly.yaml')
/** Off: its check for updates and its telemetry. */
const QUIET = { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }

/**
 * The description writes a component or null as generators of clients read it (`openapi-components.ts`). By the letter of
 * OpenAPI 3.0 that is never null, and the linter would refuse examples that are.
 */
function withNull(_: string, value: unknown): unknown {
  const { nullable, allOf, ...rest } = Object(value) as { nullable?: boolean; allOf?: unknown[] }
  if (nullable !== true || allOf === undefined) return value
  return { ...rest, nullable, anyOf: [...allOf, { type: 'object', nullable, enum: [null] }] }
}

test.for([
  ['current', publicDescription()],
  ['legacy', legacyDescription()],
] as const)('the linter accepts the description of the %s vocabulary', ([, description]) => {
  const folder = mkdtempSync(join(tmpdir(), 'description-'))
  try {
    const file = join(folder, 'openapi.json')
    writeFileSync(file, JSON.stringify(description, withNull))
    const args = [LINTER, 'lint', file, `--config=${CONFIG}`, '--format=stylish']
    const { status, stdout, stderr } = spawnSync(process.execPath, args, {
      encoding: 'utf8',
      env: { ...process.env, ...QUIET },
    })
    expect(`${stdout}${stderr}`).not.toMatch(/\b(?:error|warning)\b/)
    expect(status, stderr).toBe(0)
  } finally {
    rmSync(folder, { recursive: true })
  }
})

const messages = messageDescription('https://api.example.com')

test.for(['https://api.example.com', ''])(
  'the description of messages of "%s" is AsyncAPI 3.0.0, by its schema',
  (publicUrl) => {
    // The schema contains that of JSON Schema itself, which Ajv must not add a second time.
    const ajv = new Ajv({
      strict: false,
      meta: false,
      validateSchema: false,
      validateFormats: false,
      allErrors: true,
    })
    const isValid = ajv.compile(specification)
    isValid(structuredClone(messageDescription(publicUrl)))
    expect(isValid.errors ?? []).toEqual([])
    isValid({ ...messages, channels: { scans: { address: 7 } } })
    expect(isValid.errors).not.toBeNull()
  },
)

test('the examples of messages fit their schemas', () => {
  const ajv = new Ajv({ strict: false, validateFormats: false, schemas: { messages } })
  const described = Object.values(messages.components.messages).filter((message) => 'payload' in message)
  expect(described.length).toBeGreaterThan(10)
  for (const { name, payload, examples } of described) {
    const schema = { $ref: `messages${payload.$ref}` }
    expect([name, examples.map((example) => ajv.validate(schema, example.payload))]).toEqual([name, [true]])
    expect(ajv.validate(schema, {}), name).toBe(false)
  }
})

test('all references of the description of messages lead somewhere', () => {
  const references = [...JSON.stringify(messages).matchAll(/"\$ref":"#([^"]+)"/g)].map(
    ([, path = '']) => path,
  )
  expect(references.length).toBeGreaterThan(50)
  for (const path of references) {
    const target = path
      .split('/')
      .slice(1)
      .reduce<unknown>((node, name) => (node as Record<string, unknown> | undefined)?.[name], messages)
    expect(target, path).toBeTypeOf('object')
  }
})
