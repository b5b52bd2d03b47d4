import { expect, test } from 'vitest'
import { namesType, prefers } from './accept.ts'

test.for([
  { accept: 'text/csv', csv: true },
  { accept: 'TEXT/CSV ; header=present', csv: true },
  { accept: 'application/json;q=0.5, text/csv', csv: true },
  { accept: 'application/json;q=0.5, text/csv;q=0.501', csv: true },
  { accept: 'text/*, application/json;q=0.9', csv: true },
  { accept: '*/*;q=0.1, text/csv', csv: true },
  { accept: 'text/csv, application/json;q=0', csv: true },
  { accept: undefined, csv: false },
  { accept: '', csv: false },
  { accept: '*/*', csv: false },
  { accept: 'application/json', csv: false },
  { accept: 'text/csv, application/json', csv: false },
  { accept: 'text/csv;q=0.5, application/json', csv: false },
  { accept: 'text/csv;q=0.5, */*', csv: false },
  { accept: 'text/csv;q=0, text/*', csv: false },
  { accept: 'text/csv;q=2', csv: false },
  { accept: 'text/csv;q=', csv: false },
  { accept: 'application/xml', csv: false },
  { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', csv: false },
  { accept: ',;,/;q=1', csv: false },
])('Accept: $accept prefers CSV to JSON: $csv', ({ accept, csv }) => {
  expect(prefers(accept, 'text/csv', 'application/json')).toBe(csv)
})

test.for([
  { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', names: true },
  { accept: 'application/json, Text/HTML ; charset=utf-8;q=0.1', names: true },
  { accept: 'text/html;q=0, */*', names: false },
  { accept: 'text/*', names: false },
  { accept: '*/*', names: false },
  { accept: 'text/html2', names: false },
  { accept: '', names: false },
  { accept: undefined, names: false },
])('Accept: $accept names text/html: $names', ({ accept, names }) => {
  expect(namesType(accept, 'text/html')).toBe(names)
})
