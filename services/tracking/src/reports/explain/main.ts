import { parseArgs } from 'node:util'
import { AppError } from '@whereabouts/service-kit/app-error'
import { loadEnv } from '@whereabouts/service-kit/env'
import { Config } from '../../config.ts'
import { explainReport, reports, type ExplainRequest } from './explain.ts'

const HELP = `pnpm explain REPORT --org ID [QUERY] [--analyze]

Prints the statements of one report request and their plans, as PostgreSQL would run them for the service.

  REPORT     ${Object.keys(reports).join(', ')}
  --org ID   the organization
  QUERY      the query of the URL, such as 'sort=-asset_last_seen&limit=50'; include_descendants finds no sub-locations here
  --analyze  run each statement and show its times and buffers

Reads DATABASE_URL (PostgreSQL, as the role of the service tracking), or the stack of a running \`npm start\`.
`

const isUsage = (error: unknown) => String((error as { code?: unknown }).code).startsWith('ERR_PARSE_ARGS')
const usageError = (message: string) => Object.assign(new Error(message), { code: 'ERR_PARSE_ARGS' })

function readArguments(args: string[]): ExplainRequest {
  const options = { org: { type: 'string' }, analyze: { type: 'boolean', default: false } } as const
  const { values, positionals } = parseArgs({ args, allowPositionals: true, options })
  const [report = '', query = '', ...rest] = positionals
  if (!Object.hasOwn(reports, report) || rest.length > 0)
    throw usageError(`name one report: ${Object.keys(reports).join(', ')}`)
  const orgId = Number(values.org)
  if (!Number.isSafeInteger(orgId) || orgId < 1) throw usageError('--org must be the id of an organization')
  const named = report as ExplainRequest['report']
  return { report: named, orgId, query: query.replace(/^\?/, ''), isAnalyzed: values.analyze }
}

async function run(args: string[]): Promise<string> {
  if (args.includes('--help')) return HELP
  const request = readArguments(args)
  return explainReport(loadEnv(Config.pick({ DATABASE_URL: true }), process.env).DATABASE_URL, request)
}

try {
  const text = await run(process.argv.slice(2).filter((arg) => arg !== '--')) // pnpm passes it on
  process.stdout.write(`${text.trimEnd()}\n`)
} catch (error) {
  const messages = error instanceof AppError ? error.fields?.map(({ message }) => message) : undefined
  const text = messages?.join('\n') || (error instanceof Error ? error.message : String(error))
  process.stderr.write(`${text}\n${isUsage(error) ? '\nSee pnpm explain --help\n' : ''}`)
  process.exitCode = isUsage(error) ? 2 : 1
}
