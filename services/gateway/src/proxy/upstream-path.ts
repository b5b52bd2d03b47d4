/**
 * The path to ask a service for: `template`, the row's own path, with the parameters put back in. What the client wrote is never
 * passed on as it stands, so no spelling of it reaches anything but a row of the table.
 *
 * A dot in a parameter is escaped twice: `..` and `%2e%2e` are steps upwards to whoever normalises a URL. No id or key
 * holds a dot, so the service refuses either spelling with the same words.
 */
export function upstreamPath(template: string, params: Readonly<Record<string, string>>): string {
  return template.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(params[name] ?? '').replaceAll('.', '%252E'),
  )
}
