import { ApiError } from '@whereabouts/client/client'

export type FieldMessages = Readonly<Record<string, string>>

export type Failure = {
  title: string
  detail: string
  requestId: string | undefined
  /** Messages of the API by the JSON path of their field. */
  fields: FieldMessages
}

/** What a person should read of anything that went wrong; the words are those of the API where it answered. */
export function failureOf(error: unknown): Failure {
  if (error instanceof ApiError && error.error) {
    const { title, detail, request_id: requestId, fields = [] } = error.error
    const messages = fields.map(({ field, message }) => [field, sentence(message)])
    return { title, detail: sentence(detail), requestId, fields: Object.fromEntries(messages) }
  }
  if (error instanceof ApiError)
    return plain(
      'The server cannot be reached',
      `It answered with status ${error.status}. Try again in a moment.`,
    )
  if (error instanceof TypeError)
    return plain('The server cannot be reached', 'Check the connection of this device, then try again.')
  return plain('Something went wrong', error instanceof Error ? error.message : String(error))
}

const plain = (title: string, detail: string): Failure => ({
  title,
  detail,
  requestId: undefined,
  fields: {},
})

const sentence = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)
