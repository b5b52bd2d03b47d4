import { expect, test } from 'vitest'
import { attachTag } from './attach-tag.ts'

const refusal = (code: unknown) => ({
  refused: {
    type: 'validation_error',
    detail: 'value is not right',
    fields: [{ field: 'value', code, message: 'value is not right' }],
  },
})

test('a refusal with a field code of a newer release is read and passed on', () => {
  expect(attachTag.reply.parse(refusal('added_later'))).toEqual(refusal('added_later'))
})

test('a code that is not text is refused', () => {
  expect(attachTag.reply.safeParse(refusal(7)).success).toBe(false)
})
