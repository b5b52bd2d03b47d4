import { readFileSync, writeFileSync } from 'node:fs'
import type { z } from 'zod'

/**
 * Compares the configuration table of a service's README with its schema and returns both, for an `expect`. With
 * `UPDATE_README` set it writes the table first.
 */
export function configTables(readme: URL, config: z.ZodObject): { documented: string; actual: string } {
  const actual = normal(configTable(config))
  const text = readFileSync(readme, 'utf8')
  const documented = /^\| Variable.*\n(?:\|.*\n)+/m.exec(text)?.[0]
  if (documented === undefined)
    throw new Error(`${readme.pathname} has no table that begins with "| Variable"`)
  if (process.env['UPDATE_README'] === undefined) return { documented: normal(documented), actual }
  writeFileSync(
    readme,
    text.replace(documented, () => actual),
  )
  return { documented: actual, actual }
}

/** One row per variable, in the order of the schema. */
function configTable(config: z.ZodObject): string {
  const rows = Object.entries(config.shape).map(([name, schema]) => {
    const { description = '' } = schema as z.ZodType
    return `| \`${name}\` | ${defaultOf(schema as z.ZodType)} | ${description.replaceAll('|', '\\|')} |\n`
  })
  return ['| Variable | Default | Meaning |\n', '| --- | --- | --- |\n', ...rows].join('')
}

/** A variable without a default must be set, unless it is optional. */
function defaultOf(schema: z.ZodType): string {
  const parsed = schema.safeParse(undefined)
  if (!parsed.success) return '(required)'
  const value: unknown = parsed.data
  if (value === undefined || value === '') return ''
  return `\`${Array.isArray(value) ? value.join(',') : typeof value === 'string' ? value : JSON.stringify(value)}\``
}

/** Without the padding that a formatter adds. */
const normal = (table: string) =>
  table.replaceAll(/ +\|/g, ' |').replaceAll(/\| +/g, '| ').replaceAll(/-{3,}/g, '---')
