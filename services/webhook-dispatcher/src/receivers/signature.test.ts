import { createHmac, randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { signature, standardSignature } from './signature.ts'

test('D11.2 the signature of the published example is reproduced', () => {
  expect(signature('whsec_test', '1753452192', Buffer.from('{"a":1}'))).toBe(
    'sha256=d9a5a690a7b324dc43a07dcefcbf7274464107255792917d25cf423d84c3f1bc',
  )
})

test('D13.6 the published vector of Standard Webhooks is reproduced', () => {
  const message = {
    id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    timestamp: '1614265330',
    body: Buffer.from('{"test": 2432232314}'),
  }
  const signed = 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE='
  expect(standardSignature(['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'], message)).toBe(signed)
})

test('D13.6 two secrets give two signatures, the newest first; 64 hex digits are base64 of 48 bytes', () => {
  const message = { id: 'm', timestamp: '1', body: Buffer.from('{}') }
  const hex = randomBytes(32).toString('hex')
  const of = (key: Buffer) => `v1,${createHmac('sha256', key).update('m.1.{}').digest('base64')}`
  const key = Buffer.from(hex, 'base64')
  expect(key).toHaveLength(48)
  expect(key.toString('base64')).toBe(hex)
  expect(standardSignature([`whsec_${hex}`, 'whsec_dGVzdA=='], message)).toBe(
    `${of(key)} ${of(Buffer.from('test'))}`,
  )
})
