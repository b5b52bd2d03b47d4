import { expect, test } from 'vitest'
import { readCredentials } from './credentials.ts'

const grant_type = 'client_credentials' as const
const header = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`

test('the body alone is read', () => {
  const body = { grant_type, client_id: 'id', client_secret: 'secret' }
  expect(readCredentials(body, undefined)).toEqual({ clientId: 'id', clientSecret: 'secret' })
})

test('next to the header, a client id must be the same and a secret is refused', () => {
  const credentials = { clientId: 'id', clientSecret: 'secret' }
  expect(readCredentials({ grant_type, client_id: 'id' }, header('id:secret'))).toEqual(credentials)
  const twice = { grant_type, client_id: 'other', client_secret: 'secret' }
  expect(readCredentials(twice, header('id:secret'))).toMatchObject({
    problems: [
      { field: 'client_id', code: 'ambiguous_fields' },
      { field: 'client_secret', code: 'ambiguous_fields' },
    ],
  })
})

test('missing fields are named together', () => {
  expect(readCredentials({ grant_type }, undefined)).toMatchObject({
    problems: [
      { field: 'client_id', code: 'required' },
      { field: 'client_secret', code: 'required' },
    ],
  })
})
