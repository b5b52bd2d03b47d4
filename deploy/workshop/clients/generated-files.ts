import { fileURLToPath } from 'node:url'
import {
  fullDescription,
  legacyDescription,
  publicDescription,
} from '@whereabouts/contracts/description/openapi'
import { CSV_CONTENT_TYPE, JSON_MEDIA_TYPE } from '@whereabouts/contracts/route'
import openapiTypescript, { astToString, type OpenAPI3 } from 'openapi-typescript'
import { IMAGE, noticeOf } from '../release/notice.ts'
import { pythonTypes } from './python-types.ts'

const root = new URL('../../../', import.meta.url)
const NOTICE = '// Generated from the route table by "pnpm generate". Do not edit.\n\n'

export type GeneratedFile = { path: string; content: string }

/** Every committed file that is generated from the route table or the installed packages, with its expected content. */
export async function generatedFiles(): Promise<GeneratedFile[]> {
  return [
    { path: fileURLToPath(new URL('NOTICE', root)), content: noticeOf(IMAGE) },
    descriptionFile('libs/contracts/openapi/openapi.json', publicDescription()),
    descriptionFile('libs/contracts/openapi/openapi.legacy.json', legacyDescription()),
    { path: fileURLToPath(new URL('libs/client/src/api.d.ts', root)), content: await clientTypes() },
    {
      path: fileURLToPath(new URL('libs/client-python/src/whereabouts/types.py', root)),
      content: pythonTypes(publicDescription()),
    },
  ]
}

const descriptionFile = (path: string, content: object): GeneratedFile => ({
  path: fileURLToPath(new URL(path, root)),
  content: `${JSON.stringify(content, null, 2)}\n`,
})

/** The client's types include the console's routes, which the public description omits, but no legacy routes. */
const clientTypes = () => typesOf(fullDescription())

/** The types of the package that integrators install. */
export const publicTypes = (): Promise<string> => typesOf(publicDescription())

async function typesOf(described: object): Promise<string> {
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
