/** The parts of Bruno's parser that the runner reads; the package has no types. */
declare module '@usebruno/lang' {
  type Row = { name: string; value: string; enabled: boolean; type?: 'path' | 'query' }
  type BrunoRequest = {
    meta: { name: string; seq: string }
    http: { method: string; url: string; auth: string }
    params?: Row[]
    headers?: Row[]
    body?: { json?: string }
    script?: { res?: string }
    docs: string
  }
  export function bruToJsonV2(text: string): BrunoRequest
  export function collectionBruToJson(text: string): {
    auth: { bearer: { token: string } }
    vars: { req: Row[] }
    script: { req: string }
  }
}
