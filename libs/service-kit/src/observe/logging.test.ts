import { PassThrough } from 'node:stream'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { loggerOptions } from './logging.ts'

test('a long request id is cut in each line, also as a binding of a child', () => {
  const lines: { request_id: string }[] = []
  const to = new PassThrough().on('data', (line: Buffer) => lines.push(JSON.parse(line.toString())))
  const log = pino(loggerOptions('test', 'info'), to)
  const request_id = 'x'.repeat(15_000)
  log.child({ request_id }).info('request')
  log.info({ request_id }, 'message')
  to.read()
  expect(lines.map((line) => line.request_id.length)).toEqual([128, 128])
})
