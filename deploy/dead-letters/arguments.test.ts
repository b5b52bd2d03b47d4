import { expect, test } from 'vitest'
import { readArguments, UsageError } from './arguments.ts'

const NOW = Date.parse('2026-11-21T12:00:00Z')
const read = (line: string) => readArguments(line === '' ? [] : line.split(' '), NOW)

test.for([
  ['', { do: 'help' }],
  ['list --help', { do: 'help' }],
  ['list', { do: 'list', filters: {}, limit: 50, json: false }],
  [
    'list --stream SCANS --durable tracking-ingest --org 7 --since 2h --limit 3 --before 9 --json',
    {
      do: 'list',
      filters: { stream: 'SCANS', durable: 'tracking-ingest', orgId: 7, sinceMs: NOW - 7_200_000 },
      limit: 3,
      before: 9,
      json: true,
    },
  ],
  ['list --since 2026-11-21T10:00:00Z', { filters: { sinceMs: NOW - 7_200_000 } }],
  ['show 5 --raw out.bin', { do: 'show', seq: 5, rawFile: 'out.bin', json: false }],
  ['replay 5 6 5', { do: 'replay', selection: { seqs: [5, 6] } }],
  ['replay --all', { do: 'replay', selection: { filters: {}, yes: false } }],
  ['drop --all --org 7 --yes', { do: 'drop', selection: { filters: { orgId: 7 }, yes: true } }],
] as const)('%s is accepted', ([line, request]) => {
  expect(read(line)).toMatchObject(request)
})

test.for([
  'replai 5',
  'toString 5',
  'replay',
  'drop --yes',
  'drop 5 --all --yes',
  'drop 5 --yes',
  'drop 5 --org 7',
  'replay 5 --limit 3',
  'replay 0',
  'replay 5x',
  'replay 1e3',
  'replay 9007199254740993',
  'list 5',
  'list --limit 0',
  'list --org seven',
  'list --stream DEAD',
  'list --stream toString',
  'list --durable tracking-*',
  'list --since yesterday',
  'list --since 5',
  'list --colour',
  'show',
  'show 5 6',
  'show 5 --all',
])('%s is refused', (line) => {
  expect(() => read(line)).toThrow(UsageError)
})
