/**
 * Scripts come only from this origin, no other host is contacted, and of inline scripts only those with these digests
 * run. Styles may be inline, because Mantine writes its theme variables into the page, and the documentation colors
 * its code.
 */
export const securityHeaders = (scriptDigests: readonly string[] = []) => ({
  'content-security-policy':
    `default-src 'none'; script-src ${["'self'", ...scriptDigests].join(' ')}; style-src 'self' 'unsafe-inline'; ` +
    "img-src 'self' data:; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'self'; " +
    "frame-ancestors 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
})
