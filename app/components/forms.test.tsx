import { createRemixStub } from '@remix-run/testing'
import type { ReactElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { FilesPage } from './files-page'
import { LoginPage } from './login-page'
import { NewTaskPage } from './new-task-page'
import { SignupPage } from './signup-page'
import { TaskPage } from './task-page'
import type { FileRow, ProcessorChoice, TaskView } from './types'

const iso = '2026-12-01T01:30:00.000Z'

const file: FileRow = {
  id: 'file-1',
  name: 'notes.txt',
  type: 'text/plain',
  size: 12,
  origin: 'upload',
  taskId: null,
  createdAt: iso,
  expiresAt: iso,
  pinnedBy: null,
}

const processor: ProcessorChoice = {
  name: 'text-normalize',
  version: 1,
  title: 'Normalise text',
  description: 'One kind of line end.',
  accepts: ['text/plain'],
  price: 0,
  fields: [{ name: 'trimTrailing', label: 'Trim', help: '', kind: 'checkbox', defaultValue: false }],
}

// React says of each effect of the router that it does nothing on a server, which is what is wanted here.
beforeAll(() => void vi.spyOn(console, 'error').mockImplementation(() => {}))
afterAll(() => void vi.restoreAllMocks())

function render(page: ReactElement, path = '/'): string {
  const Stub = createRemixStub([{ path, Component: () => page }])
  return renderToStaticMarkup(<Stub initialEntries={[path]} />)
}

/** Names of the fields in the form that is sent to `action`, in order, without repeats. */
function fieldNames(html: string, action: string): string[] {
  const form =
    html
      .split('<form')
      .find((part) => part.includes(`action="${action}"`))
      ?.split('</form>')[0] ?? ''
  return [...new Set([...form.matchAll(/ name="([^"]+)"/g)].map(([, name = '']) => name))]
}

describe('forms carry the fields of the HTTP contract', () => {
  it('signing up and logging in', () => {
    const props = { reply: null, redirectTo: '/tasks', notice: null }
    expect(fieldNames(render(<SignupPage {...props} />, '/signup'), '/signup')).toEqual([
      'redirectTo',
      'name',
      'email',
      'password',
    ])
    expect(fieldNames(render(<LoginPage {...props} />, '/login'), '/login')).toEqual([
      'redirectTo',
      'email',
      'password',
    ])
  })

  it('uploading and deleting', () => {
    const html = render(<Files />, '/files')
    expect(html).toMatch(/action="\/files" encType="multipart\/form-data"/)
    expect(fieldNames(html, '/files')).toEqual(['requestKey', 'file'])
    expect(html).toMatch(/<form id="selection" action="\/files\/download"/)
    expect(html).toMatch(/<button type="submit" formaction="\/files\/delete"/i)
    expect(html).toMatch(/<input type="checkbox" name="fileId" form="selection"[^>]* value="file-1"/)
    expect(html).toContain('href="/files/file-1"')
    expect(html).toContain('href="/tasks/new?fileId=file-1"')
  })

  it('submitting a task', () => {
    const html = render(<NewTask />)
    expect(fieldNames(html, '/tasks/new?key=key-1')).toEqual([
      'requestKey',
      'fileId',
      'processor',
      'trimTrailing',
    ])
    expect(html).toMatch(/name="requestKey" value="key-1"/)
  })

  it('cancelling and retrying, where the server would accept it', () => {
    const html = render(<TaskPage tag="" task={failedTask} refresh problem={null} />)
    expect(fieldNames(html, '/tasks/task-1/retry')).toEqual(['attempts', 'finishedAt'])
    expect(html).toMatch(/name="attempts" value="2"/)
    expect(html).not.toContain('/tasks/task-1/cancel')
    expect(html).toContain('/tasks/new?fileId=file-1&amp;processor=text-normalize')
  })
})

it('a task that failed because of its file leads to another file, not to the same inputs', () => {
  const actions = { ...failedTask.actions, again: false, otherFile: true }
  const html = render(<TaskPage tag="" task={{ ...failedTask, actions }} refresh problem={null} />)
  expect(html).toContain('href="/tasks/new?processor=text-normalize"')
  expect(html).not.toContain('Start again with the same inputs')
})

describe('a refused form', () => {
  it('keeps what was typed and says what is wrong beside the field and at the top', () => {
    const reply = { values: { email: 'ada' }, errors: { email: ['Not an address.'] } }
    const html = render(<LoginPage reply={reply} redirectTo={null} notice={null} />, '/login')
    expect(html).toMatch(
      /<input[^>]*id="email"[^>]*aria-invalid="true"[^>]*aria-describedby="email-error"[^>]*value="ada"/,
    )
    expect(html).toContain('id="email-error"')
    expect(html).toContain('role="alert"')
    expect(html).toContain('href="#email"')
  })

  it('keeps a box that was ticked, and one that was left empty although ticked is its default', () => {
    expect(render(<NewTask values={{ requestKey: 'key-1', trimTrailing: 'on' }} />)).toMatch(
      /type="checkbox"[^>]*checked=""/,
    )
    const ticked = {
      ...processor,
      fields: processor.fields.map((field) => ({ ...field, defaultValue: true })),
    }
    expect(render(<NewTask processors={[ticked]} />)).toMatch(/type="checkbox"[^>]*checked=""/)
    expect(render(<NewTask processors={[ticked]} values={{ requestKey: 'key-1' }} />)).not.toMatch(
      /type="checkbox"[^>]*checked=""/,
    )
  })
})

function Files() {
  return (
    <FilesPage
      files={[file]}
      search=""
      use={{ files: 1, maxFiles: 200, bytes: 12, maxBytes: 100 }}
      accepts={['text/plain', '.txt']}
      maxFileBytes={1024}
      uploadKey="key-1"
      nextPage={null}
      previousPage={null}
      outcomes={null}
      problem={null}
    />
  )
}

function NewTask(props: { values?: Record<string, string>; processors?: ProcessorChoice[] }) {
  return (
    <NewTaskPage
      requestKey="key-1"
      files={[file]}
      processors={props.processors ?? [processor]}
      values={props.values ?? {}}
      errors={{}}
      problem={null}
      earlierTaskId={null}
      action="/tasks/new?key=key-1"
    />
  )
}

const failedTask: TaskView = {
  id: 'task-1',
  status: 'failed',
  stage: null,
  progress: null,
  processor: 'text-normalize',
  processorTitle: 'Normalise text',
  inputName: 'notes.txt',
  attempts: 2,
  maxAttempts: 3,
  createdAt: iso,
  updatedAt: iso,
  finishedAt: iso,
  params: { trimTrailing: true },
  input: { fileId: 'file-1', name: 'notes.txt', type: 'text/plain', size: 12, available: true },
  result: null,
  failure: { code: 'STORAGE_UNAVAILABLE', message: 'Not reached.', next: 'Retry.' },
  queuedAt: iso,
  startedAt: iso,
  retryAt: null,
  cancelRequestedAt: null,
  deliveryFailedAt: [],
  attemptList: [],
  actions: { cancel: false, retry: true, giveUp: false, again: true, otherFile: false },
}
