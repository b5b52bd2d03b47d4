import { AppError } from '@whereabouts/service-kit/app-error'
import { expect, test } from 'vitest'
import { inLegacyTerms } from './errors.legacy.ts'
import { locationNotFound, parentNotFound, windowInverted } from './errors.ts'

async function translated(error: Error): Promise<unknown> {
  try {
    return await inLegacyTerms(async () => {
      throw error
    })
  } catch (thrown) {
    return thrown
  }
}

test('a problem of a renamed field is told by its older name, in field, message and detail', async () => {
  const error = (await translated(parentNotFound('parent_external_key'))) as AppError
  expect(error).toMatchObject({
    type: 'validation_error',
    message: 'parent_identifier does not refer to a location',
    fields: [
      {
        field: 'parent_identifier',
        code: 'fk_not_found',
        message: 'parent_identifier does not refer to a location',
      },
    ],
  })
})

test('everything else passes as it is', async () => {
  const window = windowInverted()
  expect((await translated(window)) as AppError).toMatchObject({ fields: window.fields })
  for (const error of [locationNotFound(), new TypeError('bug')]) expect(await translated(error)).toBe(error)
})
