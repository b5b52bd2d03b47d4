import { ApiError } from '@whereabouts/client/client'
import { describe, expect, test } from 'vitest'
import { failureOf, SaidError } from './failure.ts'

type Body = NonNullable<ApiError['error']>

const failed = (body: Partial<Body>) =>
  failureOf(
    new ApiError(body.status ?? 400, {
      type: 'validation_error',
      title: 'Validation failed',
      status: 400,
      detail: '',
      instance: '/api/v1/assets',
      request_id: '01JA',
      ...body,
    }),
  )

type Entry = NonNullable<Body['fields']>[number]

const atField = (entry: Entry) => failed({ fields: [entry] }).fields[entry.field]

describe('a message at its field', () => {
  const cases: [Entry, string][] = [
    [
      {
        field: 'email',
        code: 'too_short',
        message: 'email must be at least 1 character',
        params: { min_length: 1 },
      },
      'Fill in this field.',
    ],
    [{ field: 'org_name', code: 'required', message: 'org_name is required' }, 'Fill in this field.'],
    [
      { field: 'password', code: 'too_short', message: 'password must be at least 10 characters' },
      'Must be at least 10 characters.',
    ],
    [
      { field: 'valid_to', code: 'invalid_value', message: 'valid_to must be later than valid_from' },
      'Must be later than valid from.',
    ],
    [{ field: 'antenna', code: 'too_small', message: 'antenna must be ≥ 1' }, 'Must be 1 or more.'],
    [
      { field: 'days', code: 'too_large', message: 'days must be ≤ 400, which the installation keeps' },
      'Must be 400 or less, which the installation keeps.',
    ],
    [
      { field: 'tags[0].value', code: 'too_long', message: 'tags[0].value must be at most 255 characters' },
      'Must be at most 255 characters.',
    ],
  ]
  test.for(cases)('%o', ([entry, expected]) => {
    expect(atField(entry)).toBe(expected)
  })
})

describe('a failure in words', () => {
  test.for([400, 404, 405, 408, 412, 415, 422])('D19.5 a %i is not a problem of the server', (status) => {
    const body = { type: 'bad_request' as const, status, detail: 'Line 3: a quoted cell has no end' }
    expect(failed(body)).toMatchObject({ title: 'Line 3: a quoted cell has no end', detail: undefined })
    expect(failureOf(new ApiError(status, undefined)).title).toBe('The request was refused')
  })

  test('names the owner of a taken key, without the word conflict', () => {
    const failure = failed({ type: 'conflict', status: 409, detail: 'asset PUMP-1 already exists' })
    expect(failure).toMatchObject({ title: 'Asset PUMP-1 already exists', detail: undefined })
  })

  test('says how long to wait', () => {
    const failure = failed({ type: 'rate_limited', status: 429, detail: 'Retry after 30 seconds' })
    expect(failure.detail).toBe('Try again in 30 seconds.')
  })

  test('has the request ID', () => {
    expect(failed({ type: 'internal_error', status: 500, detail: 'Internal error' }).requestId).toBe('01JA')
  })

  test('of something that does not exist cannot be tried again', () => {
    const failure = failed({ type: 'not_found', status: 404, detail: 'Asset not found' })
    expect([failure.isMissing, failure.title]).toEqual([true, 'Asset not found'])
  })

  test('can be said by a screen', () => {
    expect(failureOf(new SaidError({ title: 'Email or password is wrong' })).title).toBe(
      'Email or password is wrong',
    )
  })
})
