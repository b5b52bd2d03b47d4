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

class UsageError extends Error {}

function readArguments(args: string[]): ExplainRequest | 'help' {
  const { values, positionals } = parseArgs({
    args: args[0] === '--' ? args.slice(1) : args, // pnpm passes it on
    allowPositionals: true,
    options: {
      org: { type: 'string' },
      analyze: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return 'help'
  const [report = '', query = '', ...rest] = positionals
  if (!Object.hasOwn(reports, report) || rest.length > 0)
    throw new UsageError(`name one report: ${Object.keys(reports).join(', ')}`)
  const orgId = Number(values.org)
  if (!Number.isSafeInteger(orgId) || orgId < 1)
    throw new UsageError('--org must be the id of an organization')
  return {
    report: report as ExplainRequest['report'],
    orgId,
    query: query.replace(/^\?/, ''),
    isAnalyzed: values.analyze,
  }
}

function describe(error: unknown): string {
  if (!(error instanceof AppError)) return error instanceof Error ? error.message : String(error)
  const messages = error.fields?.map(({ message }) => message) ?? []
  return messages.length > 0 ? messages.join('\n') : error.message
}

try {
  const request = readArguments(process.argv.slice(2))
  const text =
    request === 'help'
      ? HELP
      : await explainReport(loadEnv(Config.pick({ DATABASE_URL: true }), process.env).DATABASE_URL, request)
  process.stdout.write(`${text.trimEnd()}\n`)
} catch (error) {
  const isUsage =
    error instanceof UsageError || String((error as { code?: unknown }).code).startsWith('ERR_PARSE_ARGS')
  process.stderr.write(`${describe(error)}\n${isUsage ? '\nSee pnpm explain --help\n' : ''}`)
  process.exitCode = isUsage ? 2 : 1
}
