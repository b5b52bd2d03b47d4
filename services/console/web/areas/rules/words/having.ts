import type { Rule } from './sentence.ts'

type Metadata = Rule['scope']['metadata']

/** How a value is stored: 7 and "7" are two values. */
export const VALUE_TYPES = { text: 'Text', number: 'Number', boolean: 'True or false' } as const
type ValueType = keyof typeof VALUE_TYPES
export const isValueType = (text: string): text is ValueType => Object.hasOwn(VALUE_TYPES, text)

/** A name of metadata and the value that an asset must have, as typed. */
export type Having = { name: string; type: ValueType; value: string }

/** Of the API. */
export const MOST_HAVING = 20

export const havingOf = (metadata: Metadata): Having[] =>
  Object.entries(metadata).map(([name, value]) => {
    const type = typeof value
    return { name, type: isValueType(type) ? type : 'text', value: String(value) }
  })

/** What is complete of them. */
export const metadataOf = (having: readonly Having[]): Metadata =>
  Object.fromEntries(
    having.flatMap(({ name, type, value }) => {
      if (name === '' || !isNumber({ name, type, value })) return []
      return [[name, type === 'text' ? value : (JSON.parse(value) as number | boolean)]]
    }),
  )

/** Whether the value is a number, if it should be one. As JSON writes it, which is how metadata is stored. */
const isNumber = ({ type, value }: Having) =>
  type !== 'number' || /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(value)

/** The first thing to do about them. */
export function havingProblem(having: readonly Having[]): string | undefined {
  if (having.some(({ name }) => name === '')) return 'Enter a name, or remove the condition.'
  const names = new Set(having.map(({ name }) => name))
  if (names.size < having.length) return 'Enter each name once.'
  const wrong = having.find((each) => !isNumber(each))
  return wrong && `Enter a number for ${wrong.name}, such as 12.5.`
}
