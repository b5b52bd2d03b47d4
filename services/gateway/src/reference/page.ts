import { createHash } from 'node:crypto'

/**
 * Settings of the page. It must load nothing from other hosts. The policy below enforces that, also for later
 * versions of the script.
 */
const settings = (descriptionPath: string, base: string) => ({
  url: descriptionPath,
  // This host, not the public address of the description: the policy below allows requests to no other.
  servers: [{ url: base || '/' }],
  proxyUrl: '', // requests go straight to this gateway
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  hideClientButton: true,
  showDeveloperTools: 'never',
  persistAuth: false, // tokens end with the page
  documentDownloadType: 'direct',
  // The value is the whole header, so that the user pastes only the token.
  authentication: { preferredSecurityScheme: 'APIKey', securitySchemes: { APIKey: { value: 'Bearer ' } } },
  hiddenClients: true, // only the samples of the description, the first of which is curl
})

/** The interactive page of a description, and its content security policy. */
export function referencePage(title: string, scriptPath: string, descriptionPath: string, base: string) {
  const start = `Scalar.createApiReference('#reference', ${JSON.stringify(settings(descriptionPath, base))})`
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

/** Styles are `unsafe-inline`, because the script writes style attributes, which a digest or nonce cannot allow. */
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
