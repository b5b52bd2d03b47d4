import { readFileSync } from 'node:fs'
import type { Command } from 'commander'
import { type components, unwrap } from '../client.ts'
import { print, write, type Column } from './output.ts'
import { open, UsageError } from './settings.ts'

type Read = components['schemas']['DecodedRead']
type Problem = components['schemas']['ReaderMessageProblem']
type Message = components['schemas']['ReaderMessage']

const READ: Column<Read>[] = [
  ['TAG', ({ tag }) => `${tag.tag_type}:${tag.value}`],
  ['ANTENNA', ({ antenna }) => (antenna === null ? null : String(antenna))],
  ['READ AT', ({ read_at }) => read_at],
  ['ASSET', ({ asset }) => asset?.external_key ?? null],
  ['LOCATION', ({ location, location_key }) => location?.external_key ?? location_key],
  ['OUTCOME', ({ outcome }) => outcome],
]
const PROBLEM: Column<Problem>[] = [
  ['PROBLEM', ({ code }) => code],
  ['WHERE', ({ pointer }) => pointer || null],
  ['WHAT TO DO', ({ detail }) => detail],
]
type Row = Problem & Pick<Message, 'received_at' | 'via'>
const MESSAGE: Column<Row>[] = [
  ['RECEIVED', ({ received_at }) => received_at],
  ['OVER', ({ via }) => via],
  ...PROBLEM,
]

/** Sending messages as a device does, and finding its mistakes, with the key of a reader. */
export function addScanCommands(program: Command): void {
  program
    .command('scan <reader> <format> [file]')
    .description('send a message as a reader does; without a file, or with -, from standard input')
    .option(
      '--check',
      'only show what would become of it: needs the key of this reader; status 1 for problems',
    )
    .option('--json', 'with --check, for programs')
    .addHelpText(
      'after',
      '\nExamples\n  $ whereabouts scan dock-1 impinj message.json --check\n  $ echo \'{"reads":[{"tag":{"type":"rfid","value":"E280"}}]}\' | whereabouts scan dock-1 canonical',
    )
    .action(async (reader: string, format: string, file = '-', { check, json }: Options = {}) => {
      const message = bytesOf(file)
      const answer = await send({ reader_key: reader, format }, message, check)
      if (!answer) write(`${message.length} bytes are sent to ${reader}.\n`)
      else if (json) write(`${JSON.stringify(answer)}\n`)
      else await explain(answer)
      if (answer && answer.problems.length > 0) process.exitCode = 1
    })
  program
    .command('problems <reader>')
    .description('the last messages of a reader that were not understood or did not arrive, with its key')
    .option('--json', 'one JSON object per line, for programs')
    .action(async (reader: string, { json }: Options) => {
      const path = { reader_key: reader }
      const { data } = unwrap(
        await open().api.GET('/api/v1/scans/{reader_key}/messages', { params: { path } }),
      )
      if (json) return print(data, [], { json })
      const rows = data.flatMap(rowsOf)
      return print(rows, MESSAGE, {})
    })
}

function bytesOf(file: string): Buffer {
  try {
    return readFileSync(file === '-' ? 0 : file)
  } catch {
    throw new UsageError(`Cannot read ${file === '-' ? 'standard input' : file}.`)
  }
}

const rowsOf = ({ received_at, via, problems }: Message): Row[] =>
  problems.map((problem) => ({ received_at, via, ...problem }))

type Options = { check?: boolean; json?: boolean }

/** The bytes as they are: JSON that is cut off is what a person looks for. */
async function send(path: { reader_key: string; format: string }, message: Buffer, check = false) {
  const answer = await open().api.POST('/api/v1/scans/{reader_key}/{format}', {
    params: { path, query: { check } },
    body: message,
    bodySerializer: () => new Uint8Array(message),
    headers: { 'content-type': 'application/octet-stream' },
    ...(!check && { parseAs: 'text' as const }),
  })
  if (!answer.response.ok || check) return unwrap(answer)?.data
  return undefined
}

async function explain({ reads, problems }: components['schemas']['DecodedMessage']): Promise<void> {
  if (reads.length > 0) await print(reads, READ, {})
  if (problems.length > 0) await print(problems, PROBLEM, {})
  else write(reads.length === 0 ? 'No read, and no problem.\n' : 'No problem.\n')
}
