import { randomUUID } from 'node:crypto'
import { signUp, type Person } from '../../app/testing/person'
import { textIn } from '../../scripts/site/page-reading.mjs'
import { EXPECTED, INPUT } from './ordinary-work'
import { expectStatus, same, sha256, type Story } from './story'

/** Else the local edge, like Cloudflare's, compresses text on its way. */
const AS_IT_IS = { 'accept-encoding': 'identity' }

/** A name that no header and no page may obey: a path, quotes, a line end, an override of the direction, an emoji. */
const HOSTILE_NAME = '../../etc/"Größe"\r\n\u202etxt.exe 😀.txt'

export interface Upload {
  name: string
  bytes: Uint8Array<ArrayBuffer>
}

/** Sends files through the page's form, in one request. */
export async function sendFiles(
  owner: Person,
  uploads: readonly Upload[],
  key = randomUUID(),
): Promise<Response> {
  const form = new FormData()
  form.append('requestKey', key)
  for (const { name, bytes } of uploads) form.append('file', new File([bytes], name, { type: 'text/plain' }))
  return owner.send('/files', { method: 'POST', body: form })
}

export const textFile = (text: string, name = 'notes.txt'): Upload => ({
  name,
  bytes: new TextEncoder().encode(text),
})

/** Storing, showing, downloading and deleting; what another account gets to see of it. */
export async function keepFiles({ site, sql, step }: Story): Promise<void> {
  const owner = await signUp(site)
  const fileId = await step('uploaded; the same form sent again stored nothing more', async () => {
    const key = randomUUID()
    for (const time of [1, 2]) {
      await expectStatus(await sendFiles(owner, [{ name: HOSTILE_NAME, bytes: INPUT }], key), 303)
      same(`files after sending it ${time} ×`, (await filesOf(sql, owner)).length, 1)
    }
    return (await filesOf(sql, owner))[0]!.id
  })
  await step(
    'listed and previewed: the name and the text are shown, and nothing in them is obeyed',
    async () => {
      for (const path of ['/files', `/files/${fileId}`]) {
        const page = await (await expectStatus(await owner.get(path), 200)).text()
        if (!page.includes(fileId)) throw new Error(`${path} does not name the file`)
        if (textIn(page).includes('\u202e')) throw new Error(`${path} turns the direction around`)
      }
      const preview = await (await owner.get(`/files/${fileId}`)).text()
      if (!preview.includes('Größe 60 × 35')) throw new Error('the preview does not show the text')
    },
  )
  await step(
    `downloaded ${INPUT.length} bytes, SHA-256 ${sha256(INPUT).slice(0, 16)}…; HEAD, ranges, 304, 416`,
    () => checkDownload(owner, fileId),
  )
  await step('another account gets 404 for it, and nobody without an account gets anything', async () => {
    const stranger = await signUp(site)
    for (const path of [`/files/${fileId}`, `/files/${fileId}/download`, `/files/download?fileId=${fileId}`])
      await expectStatus(await stranger.get(path), 404)
    await expectStatus(await stranger.post(`/files/${fileId}/delete`), 404)
    same('the files', (await filesOf(sql, owner)).length, 1)
  })
  await step(
    'deleted: gone for its owner, from the database and from the bucket, its quota given back',
    async () => {
      await expectStatus(await owner.post(`/files/${fileId}/delete`), 303)
      await expectStatus(await owner.get(`/files/${fileId}/download`), 404)
      await expectStatus(await owner.post(`/files/${fileId}/delete`), 404)
      same('rows', (await filesOf(sql, owner)).length, 0)
      await compareStorage({ site, sql })
    },
  )
}

interface FileRow {
  id: string
  state: string
  object_key: string
}

/** What is stored of an account's files, in whatever state. */
export async function filesOf(sql: Story['sql'], owner: Person): Promise<FileRow[]> {
  const rows = await sql<FileRow[]>`
    select f.id, f.state, f.object_key from file f join "user" u on u.id = f.user_id
     where u.email = ${owner.email} order by f.id`
  return [...rows]
}

async function checkDownload(owner: Person, fileId: string) {
  const path = `/files/${fileId}/download`
  const whole = await expectStatus(await owner.get(path, AS_IT_IS), 200)
  const bytes = new Uint8Array(await whole.arrayBuffer())
  same('the SHA-256', sha256(bytes), sha256(INPUT))
  const etag = whole.headers.get('etag') ?? ''
  const expected = {
    'content-type': 'text/plain; charset=utf-8',
    'content-length': String(INPUT.length),
    'accept-ranges': 'bytes',
    'x-content-type-options': 'nosniff',
    'content-security-policy': "sandbox; default-src 'none'",
    'cross-origin-resource-policy': 'same-origin',
    'cache-control': 'private, no-store',
  }
  for (const [name, value] of Object.entries(expected)) same(name, whole.headers.get(name), value)
  const disposition = whole.headers.get('content-disposition') ?? ''
  if (!/^attachment; filename="[ !#-[\]-~]+"; filename\*=UTF-8''[\w!#$&+.^`|~%-]+$/.test(disposition))
    throw new Error(`Content-Disposition is ${disposition}`)

  const head = await expectStatus(await owner.send(path, { method: 'HEAD', headers: AS_IT_IS }), 200)
  same('the length that HEAD tells', head.headers.get('content-length'), String(INPUT.length))
  await expectStatus(await owner.get(path, { 'if-none-match': etag }), 304)
  for (const [range, from, to] of [
    ['bytes=3-5', 3, 6],
    ['bytes=-4', INPUT.length - 4, INPUT.length],
    [`bytes=${INPUT.length - 1}-`, INPUT.length - 1, INPUT.length],
  ] as const) {
    const part = await expectStatus(await owner.get(path, { ...AS_IT_IS, range, 'if-range': etag }), 206)
    const received = new Uint8Array(await part.arrayBuffer())
    same(range, Buffer.from(received).toString('hex'), Buffer.from(INPUT.subarray(from, to)).toString('hex'))
  }
  const beyond = await expectStatus(await owner.get(path, { range: `bytes=${INPUT.length}-` }), 416)
  same('the range that there is', beyond.headers.get('content-range'), `bytes */${INPUT.length}`)
  const changed = await owner.get(path, { ...AS_IT_IS, range: 'bytes=0-0', 'if-range': '"another"' })
  same('the whole, for a part of something else', (await expectStatus(changed, 200)).status, 200)
}

/** A file that a task needs stays; once the task is canceled it goes. */
export async function holdFile({ site, sql, step }: Story): Promise<void> {
  const owner = await signUp(site)
  await step(
    'a file that a task needs: 409, the task is named; canceled, the file can be deleted',
    async () => {
      const fileId = await owner.upload(INPUT)
      const taskId = await sql.begin(async (tx) => {
        // Claims wait for this, so the task stays in line.
        await tx`lock table task_attempt in exclusive mode`
        const id = await owner.submit(fileId)
        const page = await (await expectStatus(await owner.post(`/files/${fileId}/delete`), 409)).text()
        if (!page.includes(`/tasks/${id}`)) throw new Error('the refusal does not lead to the task')
        await expectStatus(await owner.post(`/tasks/${id}/cancel`), 303)
        return id
      })
      same('the task', (await owner.taskStatus(taskId)).status, 'canceled')
      await expectStatus(await owner.post(`/files/${fileId}/delete`), 303)
      same('files', (await filesOf(sql, owner)).length, 0)
    },
  )
  await step('a result is an ordinary file, and the task keeps its history without it', async () => {
    const taskId = await owner.submit(await owner.upload(INPUT), { params: { trimTrailing: true } })
    await owner.waitFor(taskId, 'succeeded')
    const response = await owner.get(`/api/tasks/${taskId}`)
    const { result } = (await response.json()) as { result: { fileId: string } }
    const bytes = await (await owner.get(`/files/${result.fileId}/download`, AS_IT_IS)).arrayBuffer()
    same('the SHA-256', sha256(new Uint8Array(bytes)), sha256(EXPECTED))
    await expectStatus(await owner.post(`/files/${result.fileId}/delete`), 303)
    await expectStatus(await owner.get(`/api/tasks/${taskId}/result`), 410)
    await expectStatus(await owner.get(`/tasks/${taskId}`), 200)
  })
  await step('several deleted at once: each has its own outcome', async () => {
    const stranger = await signUp(site)
    const [own, foreign] = [await owner.upload(INPUT), await stranger.upload(INPUT)]
    const body = new URLSearchParams([own, foreign, own].map((id) => ['fileId', id]))
    const response = await owner.send('/files/delete', { method: 'POST', body })
    if (response.status >= 500) throw new Error(`answered ${response.status}`)
    const left = await filesOf(sql, owner)
    same(
      'the own one',
      left.some(({ id }) => id === own),
      false,
    )
    same('the other account’s', (await filesOf(sql, stranger)).length, 1)
  })
}

/** Everything in the bucket has a row or stands in the trash, every ready file has its object, and quotas are what rows add up to. */
export async function compareStorage(
  { site, sql }: Pick<Story, 'site' | 'sql'>,
  strangers: string[] = [],
): Promise<number> {
  const bucket = await site.bucket()
  const stored: string[] = []
  let cursor: string | undefined
  do {
    const page = await bucket.list({ cursor })
    stored.push(...page.objects.map(({ key }) => key))
    cursor = page.truncated ? page.cursor : undefined
  } while (cursor)
  const rows = await sql<
    { object_key: string }[]
  >`select object_key from file union select object_key from object_trash`
  same(
    'what the bucket holds, and what the database says',
    stored.sort(),
    [...rows.map(({ object_key }) => object_key), ...strangers].sort(),
  )
  const wrong = await sql`
    select u.user_id from storage_usage u
     where (u.file_count, u.byte_count) is distinct from
           (select (count(*)::integer, coalesce(sum(byte_size), 0)::bigint) from file f where f.user_id = u.user_id and f.counted)`
  same('accounts whose quota is not what their files add up to', wrong.length, 0)
  return stored.length
}
