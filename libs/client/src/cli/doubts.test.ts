import { expect, test } from 'vitest'
import { doubtOf } from './doubts.ts'

test.for([
  ['name', '8,71432E+12', /rewritten/],
  ['tags', 'ble:b1 barcode:8.71432E+12', /^tags "8\.71432E\+12" was rewritten/],
  ['name', '#WERT!', /formula/],
  ['tags', 'barcode:1 rfid:not-a-tag!', /^no reader sends rfid:not-a-tag!/],
  ['name', 'Pump\u200B', /invisible/],
] as const)('D19.5 %s %j is doubtful', ([column, text, said]) => {
  expect(doubtOf(column, text)).toMatch(said)
})

test.for([
  ['name', 'Pump 3E12'],
  ['tags', 'rfid:E280-1160 rfid:urn:epc:id:sgtin:1.2.3 ble:x barcode:4006381333931'],
  ['metadata', '8.7E+12'],
  ['tags', ''],
] as const)('D19.5 %s %j is not', ([column, text]) => {
  expect(doubtOf(column, text)).toBeUndefined()
})
