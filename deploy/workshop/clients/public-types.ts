import { publicDescription } from '@whereabouts/contracts/description/openapi'
import { CSV_CONTENT_TYPE, JSON_MEDIA_TYPE } from '@whereabouts/contracts/route'
import openapiTypescript, { astToString, type OpenAPI3 } from 'openapi-typescript'

export const NOTICE = '// Generated from the route table by "pnpm generate". Do not edit.\n\n'

/** The types of the package that integrators install. */
export const publicTypes = (): Promise<string> => typesOf(publicDescription())

/** TypeScript types of a description. */
export async function typesOf(described: object): Promise<string> {
  const description = structuredClone(described) as unknown as OpenAPI3
  dropCsvAlternatives(description)
  return `${NOTICE}${astToString(await openapiTypescript(description))}`
}

/** The client requests JSON wherever it exists, so each of its responses has one type. */
function dropCsvAlternatives(node: unknown): void {
  if (typeof node !== 'object' || node === null) return
  if (JSON_MEDIA_TYPE in node && CSV_CONTENT_TYPE in node) delete node[CSV_CONTENT_TYPE]
  for (const child of Object.values(node)) dropCsvAlternatives(child)
}
