import { type Client, type paths, unwrap } from '@whereabouts/client/client'

type Method = 'get' | 'post' | 'put' | 'patch' | 'delete'
export type Path<M extends Method> = {
  [P in keyof paths]: paths[P] extends Record<M, object> ? P : never
}[keyof paths]

/** The values in the path and in the query. */
type Parameters<O> = O extends { parameters: infer P extends { path?: unknown; query?: unknown } }
  ? Pick<P, 'path' | 'query'>
  : unknown
type Body<O> = O extends { requestBody: { content: infer C } } ? { body: C[keyof C] } : unknown
export type Sent<P extends keyof paths, M extends Method> = Parameters<paths[P][M]> & Body<paths[P][M]>
type Arguments<S> = object extends S
  ? [sent?: S & { signal?: AbortSignal }]
  : [sent: S & { signal?: AbortSignal }]

type JsonOf<R> = R extends { content: { 'application/json': infer J } } ? J : undefined
export type Reply<P extends keyof paths, M extends Method> = paths[P][M] extends { responses: infer R }
  ? JsonOf<R[keyof R & (200 | 201 | 202)]>
  : never
export type Data<P extends keyof paths, M extends Method> =
  Reply<P, M> extends { data: infer D } ? D : undefined

type Operation<M extends Method> = <P extends Path<M>>(
  url: P,
  ...sent: Arguments<Sent<P, M>>
) => Promise<Data<P, M>>
type PageOperation = <P extends Path<'get'>>(
  url: P,
  ...sent: Arguments<Sent<P, 'get'>>
) => Promise<Reply<P, 'get'>>
type Values = { path?: unknown; query?: unknown }
type Answer = { data?: { data: unknown }; error?: unknown; response: Response }
type Untyped = (method: Method, url: string, init: object) => Promise<Answer>

/** The operations of a client. They resolve with `data` of the reply, `page` with all of it, and throw `ApiError`. */
export function requestsOf(client: Client) {
  const { request: send } = client as unknown as { request: Untyped } // too many types for the compiler
  const request = async (method: Method, url: string, { path, query, ...others }: Values = {}) =>
    unwrap(await send(method, url, { params: { path, query }, ...others }))
  const dataOf = <M extends Method>(method: M) =>
    (async (url: string, sent?: Values) => (await request(method, url, sent))?.data) as Operation<M>
  return {
    page: (async (url: string, sent?: Values) => request('get', url, sent)) as PageOperation,
    get: dataOf('get'),
    post: dataOf('post'),
    put: dataOf('put'),
    patch: dataOf('patch'),
    delete: dataOf('delete'),
  }
}
