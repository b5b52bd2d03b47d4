import type { FieldEntry } from '@whereabouts/contracts/errors'
import { AppError } from '@whereabouts/service-kit/app-error'
import { validationFailed } from '@whereabouts/service-kit/errors'

/** Legacy names of the fields that shared code reports. The legacy schema names all others. */
const older: Readonly<Record<string, string>> = { parent_external_key: 'parent_identifier' }

/** Runs the work of the current vocabulary; problems it finds in the body are told in the terms of the older one. */
export async function inLegacyTerms<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw error instanceof AppError ? translated(error) : error
  }
}

function translated(error: AppError): AppError {
  const [first, ...others] = (error.fields ?? []).map(inOlderWords)
  return first ? validationFailed([first, ...others]) : error
}

function inOlderWords(entry: FieldEntry): FieldEntry {
  const field = older[entry.field] ?? entry.field
  return { ...entry, field, message: entry.message.replace(entry.field, field) }
}
