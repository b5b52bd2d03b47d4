import type { FieldEntry } from '@whereabouts/contracts/errors'
import { AppError } from '@whereabouts/service-kit/errors/app-error'
import { validationFailed } from '@whereabouts/service-kit/errors/errors'

/** Legacy names of the fields that shared code reports. The legacy schema names all others. */
const legacyNames: Readonly<Record<string, string>> = { parent_external_key: 'parent_identifier' }

/** Runs `work` of the current vocabulary and translates the fields of its errors. */
export async function inLegacyTerms<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw error instanceof AppError ? translated(error) : error
  }
}

function translated(error: AppError): AppError {
  const [first, ...others] = (error.fields ?? []).map(inLegacyWords)
  return first ? validationFailed([first, ...others]) : error
}

function inLegacyWords(entry: FieldEntry): FieldEntry {
  const field = legacyNames[entry.field] ?? entry.field
  return { ...entry, field, message: entry.message.replace(entry.field, field) }
}
