import { expect, test } from 'vitest'
import { isCommonPassword } from './common-passwords.ts'

test.for(['1234567890', 'qwertyuiop', 'Password123', 'QWERTYUIOP', 'aaaaaaaaaa', '1q2w3e4r5t'])(
  'D15.2 %s is a common password',
  (password) => expect(isCommonPassword(password)).toBe(true),
)

test.for(['correct horse battery', 'long enough 1', 'qwertyuiop!', ''])(
  'D15.2 "%s" is not a common password',
  (password) => expect(isCommonPassword(password)).toBe(false),
)
