import { expect, test } from 'vitest'
import { readBasic, writeBasic } from './client-credentials.ts'

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

test('what is written is read again', () => {
  const credentials = { clientId: 'i:d', clientSecret: 'a b%+:\u00fc' }
  expect(readBasic(writeBasic(credentials))).toEqual(credentials)
})
