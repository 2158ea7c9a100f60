import { describe, expect, test } from 'vitest'
import { inOwnWords, plainFailure } from './plain-page.server'

const page = new Request('https://millrace.example/files/1/download')
const program = new Request('https://millrace.example/api/tasks')

describe('a failure outside of every route', () => {
  test('is a page for people', async () => {
    const response = plainFailure(page, 'BAD_ORIGIN')
    expect([response.status, response.headers.get('Content-Type')]).toEqual([403, 'text/html; charset=utf-8'])
    expect(await response.text()).toContain('Nothing was changed.')
  })

  test('is JSON for programs', async () => {
    const response = plainFailure(program, 'BAD_ORIGIN')
    expect([response.status, response.headers.get('Cache-Control')]).toEqual([403, 'private, no-store'])
    expect(await response.json()).toMatchObject({ error: { code: 'BAD_ORIGIN', family: 'task' } })
  })

  test('says to both how long to wait', async () => {
    expect(plainFailure(page, 'RATE_LIMITED').headers.get('Retry-After')).toBe('60')
    const response = plainFailure(program, 'RATE_LIMITED')
    expect(response.headers.get('Retry-After')).toBe('60')
    expect(await response.json()).toMatchObject({ error: { retryAfterSeconds: 60 } })
  })
})

describe('what Remix answers by itself is told in our own words', () => {
  const thrown = new Response('Unexpected Server Error\n\nError: at postgres.js', {
    status: 500,
    headers: { 'Content-Type': 'text/plain' },
  })
  const refused = (status: number) =>
    Response.json({ message: 'Unexpected Server Error' }, { status, headers: { 'X-Remix-Error': 'yes' } })
  const errorPage = new Response('<!DOCTYPE html>', {
    status: 404,
    headers: { 'Content-Type': 'text/html; charset=utf-8' },
  })

  test.each([
    ['an exception', thrown, 500, 'UNEXPECTED'],
    ['an exception that it answers as JSON', refused(500), 500, 'UNEXPECTED'],
    ['a path that no route has', errorPage, 404, 'NOT_FOUND'],
    ['a method that no route has', refused(405), 404, 'NOT_FOUND'],
    ['too many requests', refused(429), 429, 'RATE_LIMITED'],
  ])('to a program: %s', async (_, answer, status, code) => {
    const response = inOwnWords(program, answer.clone())
    expect(response.status).toBe(status)
    expect(await response.json()).toMatchObject({ error: { code } })
  })

  test.each([
    ['an exception', thrown, 500, 'Something went wrong on our side.'],
    ['something thrown where there is no page', refused(404), 404, 'There is nothing here.'],
  ])('to a person: %s', async (_, answer, status, text) => {
    const response = inOwnWords(page, answer.clone())
    const body = await response.text()
    expect(response.status).toBe(status)
    expect(body).toContain(text)
    expect(body).not.toContain('postgres')
  })

  test.each([
    ['a page', page, errorPage],
    ['a text file', page, new Response('text', { headers: { 'Content-Type': 'text/plain' } })],
    [
      'a range that is not there',
      program,
      new Response(null, { status: 416, headers: { 'Content-Type': 'text/plain' } }),
    ],
    ['our own failure', program, plainFailure(program, 'NOT_FINISHED')],
  ])('and %s stays as it is', (_, request, answer) => {
    expect(inOwnWords(request, answer)).toBe(answer)
  })
})
