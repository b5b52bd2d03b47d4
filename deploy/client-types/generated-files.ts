import { fileURLToPath } from 'node:url'
import { fullDescription, publicDescription } from '@whereabouts/contracts/openapi'
import openapiTypescript, { astToString, type OpenAPI3 } from 'openapi-typescript'

const root = new URL('../../', import.meta.url)
const NOTICE = '// Generated from the route table by "pnpm generate". Do not edit.\n\n'

export type GeneratedFile = { path: string; content: string }

/** Every file that is made from the route table and committed, with the content it should have now. */
export async function generatedFiles(): Promise<GeneratedFile[]> {
  return [
    {
      path: fileURLToPath(new URL('libs/contracts/openapi/openapi.json', root)),
      content: `${JSON.stringify(publicDescription(), null, 2)}\n`,
    },
    { path: fileURLToPath(new URL('libs/client/src/api.d.ts', root)), content: await clientTypes() },
  ]
}

/** The types of the client know the console's routes too, which the public description leaves out. */
async function clientTypes(): Promise<string> {
  const description = structuredClone(fullDescription()) as unknown as OpenAPI3
  return `${NOTICE}${astToString(await openapiTypescript(description))}`
}
