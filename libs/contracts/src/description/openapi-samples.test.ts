import { expect, test } from 'vitest'
import { python, script } from './openapi-literals.ts'
import { legacyDescription, publicDescription, type Description } from './openapi.ts'

type Described = { operationId: string; 'x-codeSamples': { lang: string; label: string; source: string }[] }
const operationsOf = ({ paths }: Description) =>
  Object.values(paths ?? {}).flatMap((item) => Object.values(item as Record<string, Described>))
const described = operationsOf(publicDescription())

test.for(described)(
  '$operationId has code in curl, TypeScript and Python',
  ({ 'x-codeSamples': samples }) => {
    expect(samples.map(({ lang, label }) => [lang, label])).toEqual([
      ['shell', 'curl'],
      ['typescript', 'TypeScript'],
      ['python', 'Python'],
    ])
    for (const { source } of samples) expect(source).not.toMatch(/undefined|\[object/)
  },
)

test('a legacy operation has code in curl alone, because the packages have only the current vocabulary', () => {
  for (const { 'x-codeSamples': samples } of operationsOf(legacyDescription())) {
    expect(samples.map(({ label }) => label)).toEqual(['curl'])
    expect(samples[0]?.source).toContain('"$BASE/legacy/api/v1/')
  }
})

test('the code is the same for every public address, because that is in a variable', () => {
  const samplesOf = (description: Description) =>
    operationsOf(description).map(({ 'x-codeSamples': samples }) => samples)
  const address = 'https://api.example'
  expect(samplesOf(publicDescription(undefined, address))).toEqual(samplesOf(publicDescription()))
  expect(samplesOf(legacyDescription(undefined, address))).toEqual(samplesOf(legacyDescription()))
})

test('a change is a merge patch whose null is the one of the language', () => {
  const update = described.find(({ operationId }) => operationId === 'updateAsset')
  const [curl, typescript, inPython] = update?.['x-codeSamples'].map(({ source }) => source) ?? []
  expect(curl).toMatch(/^curl -X PATCH .+\n.+\n {2}-H 'Content-Type: application\/merge-patch\+json' /)
  expect(curl).toContain('\n    "description": null,')
  expect(typescript).toContain('\n    description: null,')
  expect(inPython).toContain('\n    "description": None,')
})

test('texts and names with quotes stay what they are', () => {
  const value = { 'a-b': ['it\'s "7"\n', '\\'], c: true, d: null, e: {} }
  expect(script(value)).toBe(String.raw`{ 'a-b': ['it\'s "7"\n', '\\'], c: true, d: null, e: {} }`)
  expect(python(value)).toBe(String.raw`{"a-b": ["it's \"7\"\n", "\\"], "c": True, "d": None, "e": {}}`)
})
