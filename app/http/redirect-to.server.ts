/**
 * Where to go after signing in: a path of this site, or `/tasks`. Whatever a browser would take for another site (another
 * scheme or host, `//host`, `/\host`, tabs and newlines that it drops) is refused.
 */
export function safeRedirect(wanted: string | null | undefined, origin: string): string {
  const fallback = '/tasks'
  if (!wanted || !wanted.startsWith('/') || /[\u0000-\u001f\\]/.test(wanted)) return fallback
  try {
    const url = new URL(wanted, origin)
    const path = url.pathname + url.search + url.hash
    // Compared once more as it is sent: `/.//host` is a path of this site, but what it turns into is `//host`.
    return url.origin === origin && new URL(path, origin).href === url.href ? path : fallback
  } catch {
    return fallback
  }
}
