/**
 * Where to go after signing in: a path of this site, or `/tasks`. Whatever a browser would take for another site (another
 * scheme or host, `//host`, `/\host`, tabs and newlines that it drops) is refused.
 */
export function safeRedirect(wanted: string | null | undefined, origin: string): string {
  const fallback = '/tasks'
  if (!wanted || !wanted.startsWith('/') || /[\u0000-\u001f\\]/.test(wanted)) return fallback
  try {
    const url = new URL(wanted, origin)
    return url.origin === origin ? url.pathname + url.search + url.hash : fallback
  } catch {
    return fallback
  }
}
