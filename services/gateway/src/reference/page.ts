import { createHash } from 'node:crypto'

/**
 * What the page is told. Nothing of it may leave this host, whatever a later version of the script would like to load:
 * the policy below says so to the browser once more.
 */
const settings = (descriptionPath: string) => ({
  url: descriptionPath,
  proxyUrl: '', // requests go straight to this gateway
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  hideClientButton: true,
  showDeveloperTools: 'never',
  persistAuth: false, // tokens are gone with the page
  documentDownloadType: 'direct',
  // The scheme is a header, so its value is everything after the colon; the token is what is left to paste.
  authentication: { preferredSecurityScheme: 'APIKey', securitySchemes: { APIKey: { value: 'Bearer ' } } },
  defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
})

/** The interactive page of a description and the policy it is served under. All paths are ours. */
export function referencePage(title: string, scriptPath: string, descriptionPath: string) {
  const start = `Scalar.createApiReference('#reference', ${JSON.stringify(settings(descriptionPath))})`
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">
<title>${title}</title>
</head>
<body>
<div id="reference"></div>
<noscript>This page needs JavaScript. The description itself: <a href="${descriptionPath}">${descriptionPath}</a></noscript>
<script src="${scriptPath}"></script>
<script>${start}</script>
</body>
</html>
`
  return { html, policy: policyFor(start) }
}

/** The script writes its own style sheet and style attributes, which no digest or nonce allows; nothing else is loose. */
function policyFor(inlineScript: string): string {
  const digest = createHash('sha256').update(inlineScript).digest('base64')
  return [
    "default-src 'none'",
    `script-src 'self' 'sha256-${digest}'`,
    "style-src 'self' 'unsafe-inline'",
    'img-src data:',
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}

export const pageHeaders = (policy: string): Record<string, string> => ({
  'content-security-policy': policy,
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
})
