/**
 * The path for the service: that of a URL which matched a row, in one spelling. No spelling of the client is
 * forwarded, so none can reach anything but a row.
 *
 * A dot is escaped twice, because software that normalises URLs resolves `..` and `%2e%2e`. Only names of files contain
 * dots, single ones within the name, which nothing resolves; of anything else the service refuses both spellings in the
 * same way.
 */
export function upstreamPath(url: string): string {
  const path = /^(?:https?:\/\/[^/]*)?([^?#]*)/.exec(url)?.[1] ?? ''
  return path.split('/').map(respelled).join('/')
}

const respelled = (segment: string) =>
  /^[\w-]*$/.test(segment) || /^[\w-]+(?:\.[\w-]+)+$/.test(segment)
    ? segment
    : encodeURIComponent(decodeURIComponent(segment)).replaceAll('.', '%252E')
