import { expect, test } from 'vitest'
import { withSecurityHeaders } from './security-headers.server'

const https = { nonce: 'abc', secure: true }

test('every answer says what its page may do', () => {
  const { headers } = withSecurityHeaders(new Response('x'), https)
  expect(Object.fromEntries(headers)).toMatchObject({
    'cache-control': 'private, no-store',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'referrer-policy': 'same-origin',
    'strict-transport-security': 'max-age=31536000',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
  })
  expect(headers.get('Permissions-Policy')).toContain('camera=()')
})

test('scripts run only from this site or with the request’s nonce, and nothing else is let in', () => {
  const policy = withSecurityHeaders(new Response('x'), https).headers.get('Content-Security-Policy') ?? ''
  expect(policy.split('; ')).toEqual([
    "default-src 'self'",
    "script-src 'self' 'nonce-abc'",
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "worker-src 'self'",
    "manifest-src 'self'",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ])
})

test('without https nothing is said about it', () => {
  const { headers } = withSecurityHeaders(new Response('x'), { nonce: 'abc', secure: false })
  expect(headers.has('Strict-Transport-Security')).toBe(false)
})

test('a download keeps its own policy', () => {
  const policy = "sandbox; default-src 'none'"
  const answer = new Response('x', {
    headers: { 'Content-Security-Policy': policy, 'Cache-Control': 'no-store' },
  })
  const { headers } = withSecurityHeaders(answer, https)
  expect([headers.get('Content-Security-Policy'), headers.get('Cache-Control')]).toEqual([policy, 'no-store'])
})

test('status, cookies and a redirect’s place stay', () => {
  const redirect = new Response(null, { status: 303, headers: { Location: '/tasks' } })
  redirect.headers.append('Set-Cookie', 'a=1')
  redirect.headers.append('Set-Cookie', 'b=2')
  const { status, headers } = withSecurityHeaders(redirect, https)
  expect([status, headers.get('Location'), headers.getSetCookie()]).toEqual([303, '/tasks', ['a=1', 'b=2']])
  expect(withSecurityHeaders(Response.redirect('https://millrace.example/', 303), https).status).toBe(303)
})
