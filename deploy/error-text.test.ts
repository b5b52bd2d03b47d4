import { expect, test } from 'vitest'
import { errorText } from './error-text.ts'

test.for([
  ['a plain error', new Error('no'), 'no'],
  [
    'causes follow',
    new Error('migration failed', { cause: new Error('bad password') }),
    'migration failed: bad password',
  ],
  [
    'a cause that is quoted already is not repeated',
    new Error('failed: no', { cause: new Error('no') }),
    'failed: no',
  ],
  [
    'an error without a message shows its parts',
    new AggregateError([new Error('::1'), new Error('127.0.0.1')]),
    '::1, 127.0.0.1',
  ],
  ['something else that was thrown', 'text', 'text'],
] as const)('%s', ([, error, text]) => {
  expect(errorText(error)).toBe(text)
})
