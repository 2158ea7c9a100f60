/** The product's main job over HTTP: sign up, upload, submit, wait, download, compare. */
import { createHash, randomUUID } from 'node:crypto'
import { openSession } from './http-session.mjs'
import { hiddenFields, linksIn, textIn } from './page-reading.mjs'
import { SAMPLE_NAME, SAMPLE_TEXT } from './sample.mjs'

/** A task takes milliseconds; this long is only for a machine that is busy with something else. */
const WAIT_MS = 60_000
const POLL_MS = 300

/**
 * Throws an error that names the step and shows what was answered, when an answer is not the expected one.
 * @param {string} origin @param {{ log: (line: string) => void, signal?: AbortSignal }} options
 */
export async function walkThrough(origin, { log, signal }) {
  const person = openSession(origin)
  const done = (/** @type {string} */ line) => log(`  ✓ ${line}`)
  log(`A person without JavaScript at ${origin}`)

  const email = `walker-${randomUUID()}@millrace.test`
  const signUp = await person.post('/signup', { name: 'Walker', email, password: randomUUID() })
  await expectStatus('sign up', signUp, 303)
  done(`signed up as ${email}`)

  const files = await page('open /files', await person.get('/files'))
  const form = new FormData()
  for (const [name, value] of hiddenFields(files, '/files')) form.append(name, value)
  form.append('file', new File([SAMPLE_TEXT], SAMPLE_NAME, { type: 'text/plain' }))
  await expectStatus('upload', await person.post('/files', form), 303)
  const listed = await page('list the files', await person.get('/files'))
  const fileId = linksIn(listed)
    .map((link) => /^\/tasks\/new\?.*\bfileId=([\w-]+)/.exec(link)?.[1])
    .find(Boolean)
  if (!fileId) throw failed('find the uploaded file in /files', textIn(listed))
  done(`uploaded ${SAMPLE_NAME}, ${Buffer.byteLength(SAMPLE_TEXT)} bytes with three kinds of line end`)

  const fresh = await person.get(`/tasks/new?fileId=${fileId}`)
  const formPath = await expectStatus('get a request key', fresh, 303)
  const newTask = await page('open the form', await person.get(formPath))
  const requestKey = new URL(formPath, origin).searchParams.get('key') ?? ''
  const hidden = hiddenFields(newTask, '/tasks/new')
  if (hidden.get('requestKey') !== requestKey)
    throw failed('find the key of the URL in the form', textIn(newTask))
  const fields = { ...Object.fromEntries(hidden), fileId, processor: 'text-normalize', trimTrailing: 'on' }
  const taskPath = await expectStatus('submit', await person.post(formPath, fields), 303)
  done(`submitted ${taskPath}`)

  const again = await expectStatus('submit again', await person.post(formPath, fields), 303)
  if (again !== taskPath) throw failed('submit the same form again', `led to ${again} instead of ${taskPath}`)
  done('submitted the same form again: the same task')

  const ended = await resultOf(person, taskPath, signal)
  done('the task ended')
  const response = await person.get(ended)
  await expectStatus('download', response, 200)
  const received = Buffer.from(await response.arrayBuffer())
  compare(received, expectedResult())
  done(`downloaded ${received.length} bytes, SHA-256 ${digest(received)}: as expected`)
}

/**
 * Reloads the task's page, as its own refresh does, until it links the result.
 * @param {import('./http-session.mjs').HttpSession} person @param {string} taskPath @param {AbortSignal} [signal]
 */
async function resultOf(person, taskPath, signal) {
  const deadline = Date.now() + WAIT_MS
  for (;;) {
    const shown = await page('open the task', await person.get(taskPath))
    const download = resultLink(shown)
    if (download) return download
    const stillActive = /<meta[^>]+http-equiv="refresh"/i.test(shown)
    if (!stillActive || Date.now() > deadline) throw failed('wait for the result', textIn(shown))
    signal?.throwIfAborted()
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
  }
}

/** @param {string} shown the task's page, which may link its input too: the result comes after its heading */
const resultLink = (shown) =>
  linksIn(shown.slice(Math.max(0, shown.search(/id="result|>\s*Result\b/i)))).find((link) =>
    /^\/files\/[\w-]+\/download$/.test(link),
  )

/** What the sample must become, worked out here by another way than the product's own. */
function expectedResult() {
  const lines = SAMPLE_TEXT.split(/\r\n|\r|\n/).map((line) => {
    let end = line.length
    while (end > 0 && ' \t'.includes(line.charAt(end - 1))) end -= 1
    return line.slice(0, end)
  })
  return Buffer.from(lines.join('\n'))
}

/** @param {Buffer} received @param {Buffer} expected */
function compare(received, expected) {
  if (digest(received) === digest(expected) && received.equals(expected)) return
  const shown = `expected ${JSON.stringify(expected.toString())}\nreceived ${JSON.stringify(received.toString())}`
  throw failed('compare the result', shown)
}

/** @param {Buffer} bytes */
const digest = (bytes) => createHash('sha256').update(bytes).digest('hex')

/** @param {string} step @param {Response} response */
async function page(step, response) {
  await expectStatus(step, response, 200)
  return response.text()
}

/** @param {string} step @param {Response} response @param {number} status @returns {Promise<string>} where it leads */
async function expectStatus(step, response, status) {
  const location = response.headers.get('location') ?? ''
  if (response.status === status && (status !== 303 || location)) return location
  throw failed(step, `${response.status} ${location}\n${textIn(await response.text())}`)
}

/** @param {string} step @param {string} answer */
const failed = (step, answer) => new Error(`Failed: ${step}. The answer was:\n${answer.slice(0, 2_000)}`)
