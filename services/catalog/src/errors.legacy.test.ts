import { AppError } from '@whereabouts/service-kit/errors/app-error'
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

test('an error of a renamed field has the legacy name in field, message and detail', async () => {
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

test('other errors do not change', async () => {
  const window = windowInverted()
  expect((await translated(window)) as AppError).toMatchObject({ fields: window.fields })
  for (const error of [locationNotFound(), new TypeError('bug')]) expect(await translated(error)).toBe(error)
})
