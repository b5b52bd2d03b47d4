/**
 * The path to ask a service for: that of a URL which matched a row, in one spelling. No other spelling of the client is
 * passed on, so none can reach anything but a row.
 *
 * A dot is escaped twice, because `..` and `%2e%2e` are steps upwards to software that normalises URLs. No path, id or
 * key holds a dot, so the service refuses either spelling in the same way.
 */
export function upstreamPath(url: string): string {
  const path = /^(?:https?:\/\/[^/]*)?([^?#]*)/.exec(url)?.[1] ?? ''
  return path.split('/').map(respelled).join('/')
}

const respelled = (segment: string) =>
  /^[\w-]*$/.test(segment)
    ? segment
    : encodeURIComponent(decodeURIComponent(segment)).replaceAll('.', '%252E')
