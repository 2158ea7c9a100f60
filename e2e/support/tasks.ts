import { randomUUID } from 'node:crypto'
import { expect, type BrowserContext } from '@playwright/test'
import { linksIn } from '../../scripts/site/page-reading.mjs'

/** Sends a file through the form's own request, past the page; answers its id. */
export async function uploadFile(
  context: BrowserContext,
  origin: string,
  { name = 'notes.txt', content = 'one\r\n' }: { name?: string; content?: string | Buffer } = {},
): Promise<string> {
  const response = await context.request.post(`${origin}/files`, {
    multipart: { file: { name, mimeType: 'text/plain', buffer: Buffer.from(content) } },
    headers: { origin },
    maxRedirects: 0,
  })
  expect(response.status()).toBe(303)
  const page = await (await context.request.get(`${origin}/files`)).text()
  const link = linksIn(page).find((href) => href.includes('fileId='))
  return new URL(link ?? '', origin).searchParams.get('fileId') ?? ''
}

/** Submits a task past the page; answers its id. */
export async function submitTask(context: BrowserContext, origin: string, fileId: string): Promise<string> {
  const response = await context.request.post(`${origin}/api/tasks`, {
    data: { fileId, processor: 'text-normalize', params: {} },
    headers: { origin, 'idempotency-key': randomUUID() },
  })
  expect(response.status()).toBe(201)
  return ((await response.json()) as { id: string }).id
}

export async function cancelTask(context: BrowserContext, origin: string, taskId: string): Promise<void> {
  const response = await context.request.post(`${origin}/api/tasks/${taskId}/cancel`, { headers: { origin } })
  expect(response.status()).toBe(200)
}

export async function expectStatus(
  context: BrowserContext,
  origin: string,
  taskId: string,
  status: string,
): Promise<void> {
  const read = async () =>
    ((await (await context.request.get(`${origin}/api/tasks/${taskId}/status`)).json()) as { status: string })
      .status
  await expect.poll(read).toBe(status)
}

/** Ids of the account's tasks, newest first. */
export async function taskIds(context: BrowserContext, origin: string): Promise<string[]> {
  const response = await context.request.get(`${origin}/api/tasks`)
  return ((await response.json()) as { tasks: { id: string }[] }).tasks.map(({ id }) => id)
}
