import { createCurve } from '@nats-io/nkeys'
import nacl from 'tweetnacl'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createCalloutKeys } from './nkeys.ts'
import { sealedBox } from './sealed-box.ts'

const keys = createCalloutKeys()
const box = sealedBox(keys.xkeySeed)
const plain = Buffer.from('who is it?')

test('opens boxes that nkeys has sealed, and nkeys opens ours', () => {
  const broker = createCurve()
  for (const _again of [1, 2]) {
    expect(box.open(broker.seal(plain, keys.xkey), broker.getPublicKey())).toEqual(new Uint8Array(plain))
    const opened = broker.open(box.seal(plain, broker.getPublicKey()), keys.xkey)
    expect(Buffer.from(opened ?? [])).toEqual(plain)
  }
})

test('opens no box of another peer and no box that was changed', () => {
  const [broker, other] = [createCurve(), createCurve()]
  const sealed = Buffer.from(broker.seal(plain, keys.xkey))
  const changed = Buffer.from(sealed)
  changed.writeUInt8((changed.at(-1) ?? 0) ^ 1, changed.length - 1)
  expect(box.open(sealed, other.getPublicKey())).toBeUndefined()
  expect(box.open(changed, broker.getPublicKey())).toBeUndefined()
  expect(box.open(sealed.subarray(0, 20), broker.getPublicKey())).toBeUndefined()
  expect(
    box.open(Buffer.concat([Buffer.from('xkv2'), sealed.subarray(4)]), broker.getPublicKey()),
  ).toBeUndefined()
  expect(() => box.open(sealed, 'nobody')).toThrow('public curve key')
})

test('caches the keys of the 64 peers that were used last', () => {
  const compute = vi.spyOn(nacl.box, 'before')
  onTestFinished(() => compute.mockRestore())
  const fresh = sealedBox(keys.xkeySeed)
  const peers = Array.from({ length: 64 }, () => createCurve().getPublicKey())
  for (const peer of [...peers, ...peers]) fresh.seal(plain, peer)
  expect(compute).toHaveBeenCalledTimes(64)
  const [first = '', second = ''] = peers
  fresh.seal(plain, first) // so that the second peer is the next to be evicted
  fresh.seal(plain, createCurve().getPublicKey())
  fresh.seal(plain, first)
  expect(compute).toHaveBeenCalledTimes(65)
  fresh.seal(plain, second)
  expect(compute).toHaveBeenCalledTimes(66)
})

test('seals the same text differently each time', () => {
  const peer = createCurve().getPublicKey()
  expect(box.seal(plain, peer)).not.toEqual(box.seal(plain, peer))
})
