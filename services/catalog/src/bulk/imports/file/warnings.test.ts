import { expect, test } from 'vitest'
import { warningsOf } from './warnings.ts'

const codesOf = (column: 'name' | 'barcode' | 'rfid' | 'ble' | 'metadata', cell: string) =>
  warningsOf('assets', [column], { cells: [cell] }).map(({ code }) => code)

test.for([
  ['barcode', '8.71432E+12', 'spreadsheet_number'],
  ['barcode', '8,71432E+12', 'spreadsheet_number'],
  ['barcode', 'A-1|8,71432e+12', 'spreadsheet_number'],
  ['barcode', '340123456789012000', 'spreadsheet_number'],
  ['name', '#N/A', 'spreadsheet_error'],
  ['name', '#NV', 'spreadsheet_error'],
  ['name', '#REF!', 'spreadsheet_error'],
  ['barcode', '#NAME?', 'spreadsheet_error'],
  ['barcode', '#WERT!', 'spreadsheet_error'],
  ['name', '#DIV/0!', 'spreadsheet_error'],
  ['name', '#¿NOMBRE?', 'spreadsheet_error'],
  ['name', '#ÜBERLAUF!', 'spreadsheet_error'],
  ['name', 'Err:502', 'spreadsheet_error'],
  ['rfid', 'not-a-tag!', 'unreadable_tag'],
  ['rfid', 'E28', 'unreadable_tag'],
  ['name', 'Pump\u200B', 'invisible_character'],
  ['name', 'Pump\u00A01', 'invisible_character'],
  ['name', 'Pu\u00ADmp', 'invisible_character'],
  ['barcode', '\uFEFF4006', 'invisible_character'],
  ['name', 'Pump\u200D', 'invisible_character'],
] as const)('D19.5 %s %j: %s', ([column, cell, code]) => {
  expect(codesOf(column, cell)).toEqual([code])
})

test.for([
  ['rfid', '3.0395E+23', ['spreadsheet_number', 'unreadable_tag']],
  ['rfid', 'E28011606000020000\u200BAA01', ['unreadable_tag', 'invisible_character']],
] as const)('D19.5 each kind is said once: %s %j', ([column, cell, codes]) => {
  expect(codesOf(column, cell)).toEqual(codes)
})

test.for([
  ['barcode', '4006381333931'],
  ['barcode', '340123450000000010'],
  ['name', '3E12'],
  ['name', '#1 pump'],
  ['name', 'Pump #7!'],
  ['name', 'Engineer 👩‍🔧'],
  ['rfid', 'E2801160 6000-0200'],
  ['rfid', 'urn:epc:id:sgtin:4012345.098765.12345'],
  ['rfid', 'e28011606000020a|E2801160'],
  ['ble', 'beacon-1'],
  ['metadata', '{"mass":8.7E+12}'],
  ['name', ''],
] as const)('D19.5 nothing is said about %s %j', ([column, cell]) => {
  expect(codesOf(column, cell)).toEqual([])
})

test('D19.5 a warning names the column, the value and what to do', () => {
  const row = { cells: ['x', '8.71432E+12', '#N/A'] }
  expect(warningsOf('assets', ['name', 'barcode', 'location_name'], row)).toEqual([
    {
      field: 'barcode',
      code: 'spreadsheet_number',
      message:
        'barcode "8.71432E+12" was rewritten by a spreadsheet: its digits are gone. Format the column as text and enter it again',
    },
  ])
})
