import { expect, test } from 'vitest'
import { signature } from './signature.ts'

test('D11.2 the signature of the published example is reproduced', () => {
  expect(signature('whsec_test', '1753452192', Buffer.from('{"a":1}'))).toBe(
    'sha256=d9a5a690a7b324dc43a07dcefcbf7274464107255792917d25cf423d84c3f1bc',
  )
})
