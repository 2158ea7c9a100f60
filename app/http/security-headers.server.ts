/** The same answer with what every answer carries. A download has its own, stricter policy for its content, which stays. */
export function withSecurityHeaders(
  answer: Response,
  { nonce, secure }: { nonce: string; secure: boolean },
): Response {
  const policy = [
    "default-src 'self'",
    `script-src 'self' 'nonce-${nonce}'`,
    "style-src 'self'",
    "img-src 'self' data:",
    // In development the page listens for new builds.
    process.env.NODE_ENV === 'development' ? "connect-src 'self' ws:" : "connect-src 'self'",
    "worker-src 'self'",
    "manifest-src 'self'",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ')
  const wanted: Record<string, string> = {
    'Content-Security-Policy': policy,
    'X-Content-Type-Options': 'nosniff',
    // Not `no-referrer`: with it browsers send `Origin: null` on our own forms.
    'Referrer-Policy': 'same-origin',
    'Permissions-Policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Resource-Policy': 'same-origin',
    'X-Frame-Options': 'DENY',
    // What the platform serves by itself (built assets) has its own; everything that a loader answers is private.
    'Cache-Control': 'private, no-store',
    // Of this host only: what else runs under its name is nobody's business here.
    ...(secure && { 'Strict-Transport-Security': 'max-age=31536000' }),
  }
  // A copy, because the headers of a redirect and of some bodies can't be added to.
  const response = new Response(answer.body, answer)
  for (const [name, value] of Object.entries(wanted)) {
    if (!response.headers.has(name)) response.headers.set(name, value)
  }
  return response
}
