import { expect, test } from 'vitest'
import { readBasic, readCredentials } from './credentials.ts'

const grant_type = 'client_credentials' as const
const header = (text: string, scheme = 'Basic') => `${scheme} ${Buffer.from(text).toString('base64')}`

test.for([
  { name: 'plain', value: header('id:secret'), want: { clientId: 'id', clientSecret: 'secret' } },
  { name: 'scheme in any case', value: header('id:s', 'bAsIc'), want: { clientId: 'id', clientSecret: 's' } },
  { name: 'colons', value: header('id:a:b'), want: { clientId: 'id', clientSecret: 'a:b' } },
  { name: 'form-encoded', value: header('i%3Ad:a+b%25'), want: { clientId: 'i:d', clientSecret: 'a b%' } },
  { name: 'no colon', value: header('id'), want: undefined },
  { name: 'no secret', value: header('id:'), want: undefined },
  { name: 'no id', value: header(':secret'), want: undefined },
  { name: 'broken escape', value: header('id:%zz'), want: undefined },
  {
    name: 'not UTF-8',
    value: `Basic ${Buffer.from([0x61, 0x3a, 0xff]).toString('base64')}`,
    want: undefined,
  },
  { name: 'not base64', value: 'Basic a:b', want: undefined },
  { name: 'another scheme', value: 'Bearer aWQ6cw==', want: undefined },
  { name: 'too long', value: header(`id:${'x'.repeat(5_000)}`), want: undefined },
])('HTTP Basic, $name', ({ value, want }) => expect(readBasic(value)).toEqual(want))

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
