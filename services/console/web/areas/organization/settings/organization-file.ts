import { ApiError, unwrap } from '@whereabouts/client/client'
import { receiveFile } from '../../../parts/download/receive-file.ts'
import { SaidError } from '../../../parts/load/failure.ts'
import { client } from '../../../session/api.ts'

/** All that the organization stored, under the name that the server gives to the file. */
export async function organizationFile(
  org_id: number,
  signal: AbortSignal,
  onBytes: (bytes: number) => void,
): Promise<File> {
  const answer = await client.GET('/api/v1/orgs/{org_id}/export', {
    params: { path: { org_id } },
    parseAs: 'stream',
    signal,
  })
  const { headers } = answer.response
  const body = bodyOf(answer)
  if (!body) throw new Error('The export is empty')
  const [, name = 'organization.zip'] =
    /filename="([^"]+)"/.exec(headers.get('content-disposition') ?? '') ?? []
  return receiveFile(body, { name, type: 'application/zip' }, onBytes)
}

/** A 429 is of the rate, or of other exports, about which somebody can do something. */
function bodyOf<T>(answer: { data?: T; error?: unknown; response: Response }): T {
  try {
    return unwrap(answer)
  } catch (failed) {
    throw (failed instanceof ApiError && saidOf(failed)) || failed
  }
}

function saidOf({ error }: ApiError): SaidError | undefined {
  if (error?.type !== 'rate_limited') return undefined
  if (error.detail.includes('this organization'))
    return new SaidError({
      title: 'An export of your organization is running',
      detail: 'There can be one at a time. Wait until it has ended, or cancel it where it was started.',
    })
  if (!error.detail.includes('Other organizations')) return undefined
  return new SaidError({
    title: 'The server is making exports of other organizations',
    detail: 'Try again in a few minutes.',
  })
}
