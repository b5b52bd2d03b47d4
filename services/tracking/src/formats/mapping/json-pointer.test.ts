import { expect, test } from 'vitest'
import { readPointer, valueAt } from './json-pointer.ts'

const document: unknown = JSON.parse(
  '{"foo":["bar","baz"],"":0,"a/b":1,"m~n":8,"~1":9,"x":{"y":null},"__proto__":{"own":7}}',
)

test.for([
  { pointer: '', want: document },
  { pointer: '/foo', want: ['bar', 'baz'] },
  { pointer: '/foo/0', want: 'bar' },
  { pointer: '/', want: 0 },
  { pointer: '/a~1b', want: 1 },
  { pointer: '/m~0n', want: 8 },
  { pointer: '/~01', want: 9 },
  { pointer: '/x/y', want: null },
  { pointer: '/__proto__/own', want: 7 },
  { pointer: '/foo/2', want: undefined },
  { pointer: '/foo/-', want: undefined },
  { pointer: '/foo/00', want: undefined },
  { pointer: '/foo/length', want: undefined },
  { pointer: '/foo/0/length', want: undefined },
  { pointer: '/x/y/z', want: undefined },
  { pointer: '/constructor', want: undefined },
  { pointer: '/x/__proto__', want: undefined },
  { pointer: '/toString/name', want: undefined },
])('$pointer', ({ pointer, want }) => {
  expect(valueAt(document, readPointer(pointer))).toEqual(want)
})
