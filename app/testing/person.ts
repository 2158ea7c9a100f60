import { randomInt, randomUUID } from 'node:crypto'
import { linksIn } from '../../scripts/site/page-reading.mjs'
import { eventually } from './eventually'
import type { TestSite } from './site'

export interface RequestOptions {
  method?: string
  headers?: Record<string, string>
  body?: RequestInit['body']
  /** The `Origin` header instead of the site's own; null sends none. Only sent with methods that change something. */
  origin?: string | null
}

export type TaskStatusJson = { id: string; status: string; error: { code: string } | null }

/** Somebody with an account, as the whole Worker sees them over HTTP. Follows no redirects. */
export interface Person {
  readonly email: string
  readonly password: string
  readonly cookie: string
  send: (path: string, options?: RequestOptions) => Promise<Response>
  get: (path: string, headers?: Record<string, string>) => Promise<Response>
  /** A native form. */
  post: (path: string, fields?: Record<string, string>) => Promise<Response>
  /** A program's request. */
  postJson: (path: string, body: unknown, headers?: Record<string, string>) => Promise<Response>
  /** Sends a file through the form; answers its id. */
  upload: (content: string | Uint8Array<ArrayBuffer>, name?: string) => Promise<string>
  /** Submits through the API; answers the task's id. Throws when it is refused. */
  submit: (fileId: string, given?: { key?: string; params?: Record<string, unknown> }) => Promise<string>
  /** The task's status, once it is the wanted one. */
  waitFor: (taskId: string, status: string) => Promise<void>
  taskStatus: (taskId: string) => Promise<TaskStatusJson>
}

/** Somebody without an account. */
export function visitor(site: SiteAddress, cookie = ''): Pick<Person, 'send' | 'get' | 'post' | 'postJson'> {
  // Sign-in attempts are counted by address, and all tests come from one machine.
  const address = `10.${randomInt(256)}.${randomInt(256)}.${randomInt(1, 255)}`
  const send = (path: string, { method = 'GET', headers, body, origin = site.origin }: RequestOptions = {}) =>
    fetch(`${site.address}${path}`, {
      method,
      body,
      redirect: 'manual',
      headers: {
        'cf-connecting-ip': address,
        // workerd ends a connection whose request it refused without reading it, at the same time as the next one comes.
        connection: 'close',
        ...(cookie ? { cookie } : {}),
        ...(origin !== null && method !== 'GET' && method !== 'HEAD' ? { origin } : {}),
        ...headers,
      },
    })
  return {
    send,
    get: (path, headers) => send(path, { headers }),
    post: (path, fields = {}) => send(path, { method: 'POST', body: new URLSearchParams(fields) }),
    postJson: (path, body, headers) =>
      send(path, {
        method: 'POST',
        body: JSON.stringify(body),
        headers: { 'content-type': 'application/json', ...headers },
      }),
  }
}

/** Where somebody finds the site. */
export type SiteAddress = Pick<TestSite, 'origin' | 'address'>

/** A new account, made through the form. */
export async function signUp(site: SiteAddress): Promise<Person> {
  const id = randomUUID()
  return enter(site, '/signup', { email: `ada-${id}@millrace.test`, password: `password-${id}` })
}

/** The owner of an account in another browser: a session of its own, made through the form. */
export function logIn(site: SiteAddress, { email, password }: Credentials): Promise<Person> {
  return enter(site, '/login', { email, password })
}

type Credentials = Pick<Person, 'email' | 'password'>

async function enter(site: SiteAddress, path: '/signup' | '/login', details: Credentials): Promise<Person> {
  const response = await visitor(site).post(path, path === '/signup' ? { name: 'Ada', ...details } : details)
  await expectStatus(response, 303)
  const cookie = response.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ')
  return person(site, details, cookie)
}

function person(site: SiteAddress, { email, password }: Credentials, cookie: string): Person {
  const requests = visitor(site, cookie)

  async function upload(content: string | Uint8Array<ArrayBuffer>, name = 'notes.txt') {
    const form = new FormData()
    form.append('file', new File([content], name, { type: 'text/plain' }))
    await expectStatus(await requests.send('/files', { method: 'POST', body: form }), 303)
    const link = linksIn(await (await requests.get('/files')).text()).find((href) => href.includes('fileId='))
    return new URL(link ?? '', site.origin).searchParams.get('fileId') ?? ''
  }
  const submit: Person['submit'] = async (fileId, { key = randomUUID(), params = {} } = {}) => {
    const body = { fileId, processor: 'text-normalize', params }
    const response = await requests.postJson('/api/tasks', body, { 'idempotency-key': key })
    if (!response.ok) throw new Error(`/api/tasks answered ${response.status}: ${await response.text()}`)
    return ((await response.json()) as { id: string }).id
  }
  async function taskStatus(taskId: string) {
    const response = await requests.get(`/api/tasks/${taskId}/status`)
    await expectStatus(response, 200)
    return (await response.json()) as TaskStatusJson
  }
  return {
    ...requests,
    email,
    password,
    cookie,
    upload,
    submit,
    taskStatus,
    waitFor: async (taskId, status) => {
      const reached = (task: TaskStatusJson) => task.status === status
      await eventually(`task ${taskId} to be ${status}`, () => taskStatus(taskId), reached, { everyMs: 100 })
    },
  }
}

async function expectStatus(response: Response, status: number): Promise<void> {
  if (response.status === status) return
  throw new Error(`${response.url} answered ${response.status}: ${(await response.text()).slice(0, 2_000)}`)
}
