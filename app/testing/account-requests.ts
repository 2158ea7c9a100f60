import { randomUUID } from 'node:crypto'

/** What the first account has; or ids that nobody has. */
export interface Things {
  file: string
  done: string
  waiting: string
  failed: string
}

/** One request that needs an account. */
export interface Row {
  /** The file in app/routes that answers it. */
  route: string
  method: 'GET' | 'HEAD' | 'POST'
  path: (things: Things) => string
  fields?: (things: Things) => Record<string, string>
  json?: (things: Things) => unknown
  /** What the owner is answered. Rows run in their order, so what changes something stands last. */
  owner: number
  /** What another account is answered that asks for the owner's things. */
  stranger: number
}

const submission = ({ file }: Things) => ({ fileId: file, processor: 'text-normalize' })

/** Every request that needs an account. */
export const ROWS: readonly Row[] = [
  { route: 'files._index', method: 'GET', path: () => '/files', owner: 200, stranger: 200 },
  { route: 'tasks._index', method: 'GET', path: () => '/tasks', owner: 200, stranger: 200 },
  { route: 'tasks._index', method: 'GET', path: () => '/tasks?status=queued', owner: 200, stranger: 200 },
  { route: 'tasks.new', method: 'GET', path: newTask, owner: 200, stranger: 200 },
  { route: 'api.tasks._index', method: 'GET', path: () => '/api/tasks', owner: 200, stranger: 200 },

  { route: 'files.$fileId_.download', method: 'GET', path: download, owner: 200, stranger: 404 },
  { route: 'files.$fileId', method: 'GET', path: ({ file }) => `/files/${file}`, owner: 200, stranger: 404 },
  {
    route: 'api.files.$fileId.preview',
    method: 'GET',
    path: ({ file }) => `/api/files/${file}/preview`,
    owner: 200,
    stranger: 404,
  },
  { route: 'files.download', method: 'GET', path: chosen('/files/download'), owner: 200, stranger: 404 },
  { route: 'files.delete', method: 'GET', path: chosen('/files/delete'), owner: 200, stranger: 404 },
  { route: 'files.$fileId_.download', method: 'HEAD', path: download, owner: 200, stranger: 404 },
  { route: 'tasks.$taskId', method: 'GET', path: ({ done }) => `/tasks/${done}`, owner: 200, stranger: 404 },
  {
    route: 'tasks.$taskId',
    method: 'GET',
    path: ({ waiting }) => `/tasks/${waiting}?refresh=off`,
    owner: 200,
    stranger: 404,
  },
  { route: 'tasks.$taskId_.retry', method: 'GET', path: retry, owner: 200, stranger: 404 },
  { route: 'api.tasks.$taskId._index', method: 'GET', path: api(''), owner: 200, stranger: 404 },
  { route: 'api.tasks.$taskId.status', method: 'GET', path: api('/status'), owner: 200, stranger: 404 },
  { route: 'api.tasks.$taskId.result', method: 'GET', path: api('/result'), owner: 200, stranger: 404 },

  {
    route: 'tasks.$taskId_.retry',
    method: 'POST',
    path: retry,
    fields: () => ({ attempts: '0' }),
    owner: 303,
    stranger: 404,
  },
  {
    route: 'api.tasks.$taskId.retry',
    method: 'POST',
    path: ({ failed }) => `/api/tasks/${failed}/retry`,
    json: () => ({ attempts: 0 }),
    owner: 200,
    stranger: 404,
  },
  {
    route: 'tasks.$taskId_.cancel',
    method: 'POST',
    path: ({ waiting }) => `/tasks/${waiting}/cancel`,
    fields: () => ({}),
    owner: 303,
    stranger: 404,
  },
  {
    route: 'api.tasks.$taskId.cancel',
    method: 'POST',
    path: ({ waiting }) => `/api/tasks/${waiting}/cancel`,
    json: () => ({}),
    owner: 200,
    stranger: 404,
  },
  {
    route: 'tasks.retry',
    method: 'POST',
    path: () => '/tasks/retry',
    fields: ({ failed }) => ({ taskId: failed }),
    owner: 303,
    stranger: 303,
  },
  {
    route: 'tasks.cancel',
    method: 'POST',
    path: () => '/tasks/cancel',
    fields: ({ waiting }) => ({ taskId: waiting }),
    owner: 303,
    stranger: 303,
  },
  {
    route: 'tasks.new',
    method: 'POST',
    path: () => '/tasks/new',
    fields: (things) => ({ ...submission(things), requestKey: randomUUID() }),
    owner: 303,
    stranger: 404,
  },
  {
    route: 'api.tasks._index',
    method: 'POST',
    path: () => '/api/tasks',
    json: submission,
    owner: 201,
    stranger: 404,
  },
  {
    route: 'files.$fileId_.delete',
    method: 'POST',
    path: ({ file }) => `/files/${file}/delete`,
    fields: () => ({}),
    // The two tasks that were just submitted need it; another account must not learn even that.
    owner: 409,
    stranger: 404,
  },
  {
    route: 'files.delete',
    method: 'POST',
    path: () => '/files/delete',
    fields: ({ file }) => ({ fileId: file }),
    owner: 409,
    stranger: 404,
  },
  { route: 'account._index', method: 'GET', path: () => '/account', owner: 200, stranger: 200 },
  {
    route: 'account.sessions.$sessionId.end',
    method: 'POST',
    // Nobody's: whose a session is, account.worker.test.ts tries.
    path: () => '/account/sessions/00000000-0000-4000-8000-000000000000/end',
    fields: () => ({}),
    owner: 404,
    stranger: 404,
  },
  {
    route: 'account.password',
    method: 'POST',
    path: () => '/account/password',
    fields: () => ({ currentPassword: 'wrong', newPassword: 'a password that is new' }),
    owner: 400,
    stranger: 400,
  },
  {
    route: 'account.delete',
    method: 'POST',
    path: () => '/account/delete',
    fields: () => ({ password: 'wrong' }),
    owner: 400,
    stranger: 400,
  },
  {
    route: 'account.sessions.end-others',
    method: 'POST',
    path: () => '/account/sessions/end-others',
    fields: () => ({}),
    owner: 303,
    stranger: 303,
  },
  { route: 'files._index', method: 'POST', path: () => '/files?index', owner: 400, stranger: 400 },
  { route: 'api.files', method: 'POST', path: () => '/api/files', owner: 400, stranger: 400 },
]

function newTask({ file }: Things) {
  return `/tasks/new?key=${randomUUID()}&fileId=${file}`
}
function download({ file }: Things) {
  return `/files/${file}/download`
}
function chosen(path: string) {
  return ({ file }: Things) => `${path}?fileId=${file}`
}
function retry({ failed }: Things) {
  return `/tasks/${failed}/retry`
}
function api(what: string) {
  return ({ done }: Things) => `/api/tasks/${done}${what}`
}
