/** Requests of the console to the API. */
export const API = '**/api/v1/**'

export const REQUEST_ID = 'request-of-the-states-test'

/** An answer that refuses a request, for `route.fulfill`. */
export const envelope = (type: string, title: string, status: number) => ({
  status,
  json: { error: { type, title, status, detail: title, instance: '/', request_id: REQUEST_ID } },
})
