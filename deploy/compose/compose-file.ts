import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { parse } from 'yaml'

const COMPOSE_FILE = resolve(import.meta.dirname, '../../docker-compose.yml')

export type ComposeService = {
  image: string
  command?: string[]
  environment?: Record<string, string>
  healthcheck?: { test: string[] }
  depends_on?: Record<string, { condition: string }>
  volumes?: string[]
  read_only?: boolean
  cap_drop?: string[]
  restart?: string
  mem_limit?: string
  cpu_shares?: number
  profiles?: string[]
  logging?: { driver: string; options: Record<string, string> }
}

type ComposeFile = {
  services: Record<string, ComposeService>
  volumes: Record<string, unknown>
}

/** The text of docker-compose.yml, without interpolation. */
export const composeText = (): string => readFileSync(COMPOSE_FILE, 'utf8')

/**
 * docker-compose.yml with these variables, as `docker compose config` shows it. Throws if a required variable is
 * missing.
 */
export function readCompose(variables: Readonly<Record<string, string>>): ComposeFile {
  return withVariables(parse(composeText(), { merge: true }), variables) as ComposeFile
}

/** Interpolates after parsing, so that the value of a variable is always text. */
function withVariables(node: unknown, variables: Readonly<Record<string, string>>): unknown {
  if (typeof node === 'string') return interpolate(node, variables)
  if (Array.isArray(node)) return node.map((item) => withVariables(item, variables))
  if (typeof node !== 'object' || node === null) return node
  return Object.fromEntries(
    Object.entries(node).map(([key, value]) => [key, withVariables(value, variables)]),
  )
}

const VARIABLE = /\$\{(\w+)(?::([-?])([^}]*))?\}/g

function interpolate(text: string, variables: Readonly<Record<string, string>>): string {
  return text.replaceAll(VARIABLE, (_whole, name: string, kind: string | undefined, fallback: string) => {
    const given = variables[name]
    if (given !== undefined && given !== '') return given
    if (kind === '-') return fallback
    throw new Error(`${name} is not set`)
  })
}
