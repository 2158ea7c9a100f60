import { afterEach, describe, expect, it, vi } from 'vitest'
import { INFLIGHT_BODY_BYTES, INFLIGHT_BODY_BYTES_EACH } from '../config/limits'
import { takeBodyRoom } from './body-room.server'
import { readIncomingFiles, type IncomingFile } from './incoming-files.server'

const MIB = 1024 * 1024
const BOUNDARY = 'boundary-7'
const encoder = new TextEncoder()

const field = (name: string, value: string) =>
  encoder.encode(`--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`)
const fileStart = (fileName: string) =>
  encoder.encode(
    `--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="${fileName}"\r\nContent-Type: image/png\r\n\r\n`,
  )
const NEW_LINE = encoder.encode('\r\n')
const END = encoder.encode(`--${BOUNDARY}--\r\n`)
const file = (fileName: string, content: Uint8Array | string) => [
  fileStart(fileName),
  typeof content === 'string' ? encoder.encode(content) : content,
  NEW_LINE,
]

/** Sent piece by piece, each made when it is asked for. */
function post(
  pieces: Iterable<Uint8Array>,
  headers: Record<string, string> = {},
): Request & { sent: () => number } {
  const iterator = pieces[Symbol.iterator]()
  let sent = 0
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        const next = iterator.next()
        if (next.done) return controller.close()
        sent += next.value.length
        controller.enqueue(next.value)
      },
    },
    { highWaterMark: 0 },
  )
  const request = new Request('https://millrace.test/files', {
    method: 'POST',
    body,
    headers: { 'Content-Type': `multipart/form-data; boundary=${BOUNDARY}`, ...headers },
    duplex: 'half',
  } as RequestInit)
  return Object.assign(request, { sent: () => sent })
}

const lengthOf = (pieces: Uint8Array[]) => pieces.reduce((sum, { length }) => sum + length, 0)

async function receive(
  request: Request,
  {
    owner = 'ada',
    maxFileBytes = MIB,
    take = async () => {},
  }: { owner?: string; maxFileBytes?: number; take?: (file: IncomingFile) => Promise<void> } = {},
) {
  const taken: { fileName: string; index: number; size: number | null; key: string | undefined }[] = []
  const problem = await readIncomingFiles(request, {
    owner,
    field: 'file',
    keyField: 'requestKey',
    maxFileBytes,
    take: async (each, key) => {
      await take(each)
      const { fileName, index, bytes } = each
      taken.push({ fileName, index, size: bytes?.length ?? null, key })
    },
  })
  return { problem, taken }
}

afterEach(() => vi.useRealTimers())

describe('an upload', () => {
  it('is taken file by file, with the fields of its form, wherever they stand in it', async () => {
    const form = [...file('a.txt', 'one'), ...file('b.txt', ''), field('requestKey', 'k'), END]
    expect(await receive(post(form))).toEqual({
      problem: null,
      taken: [
        { fileName: 'a.txt', index: 0, size: 3, key: 'k' },
        { fileName: 'b.txt', index: 1, size: 0, key: 'k' },
      ],
    })
  })

  it('has no file where none was chosen', async () => {
    expect(await receive(post([...file('', ''), END]))).toEqual({ problem: null, taken: [] })
  })

  it('keeps every other file when one is too large, and says which', async () => {
    const form = [
      ...file('a.txt', 'one'),
      ...file('big.txt', new Uint8Array(MIB + 1)),
      ...file('c.txt', 'three'),
      END,
    ]
    expect(await receive(post(form))).toMatchObject({
      problem: null,
      taken: [
        { fileName: 'a.txt', size: 3 },
        { fileName: 'big.txt', size: null },
        { fileName: 'c.txt', size: 5 },
      ],
    })
  })

  it('takes a file of exactly the largest size', async () => {
    const { taken } = await receive(post([...file('a.txt', new Uint8Array(MIB)), END]))
    expect(taken).toMatchObject([{ size: MIB }])
  })

  it('larger in all than one file is taken in between, in its order', async () => {
    let sentAtFirst = 0
    const form = Array.from({ length: 12 }, (_, at) => file(`${at}.txt`, new Uint8Array(MIB / 2))).flat()
    const request = post([field('requestKey', 'k'), ...form, END])
    const take = async () => {
      sentAtFirst ||= request.sent()
    }
    const { taken, problem } = await receive(request, { take })
    expect(problem).toBeNull()
    expect(taken.map(({ index }) => index)).toEqual(Array.from({ length: 12 }, (_, at) => at))
    expect(sentAtFirst).toBeLessThan(1.6 * MIB)
  })

  it('whose key follows files that were taken already is refused from there on, and says so', async () => {
    const larger = [0, 1, 2].flatMap((at) => file(`${at}.txt`, new Uint8Array(MIB / 2)))
    const form = [...larger, field('requestKey', 'k'), ...file('after.txt', 'x'), END]
    const { problem, taken } = await receive(post(form))
    expect(problem).toBe('FORM_INCOMPLETE')
    expect(taken.map(({ fileName, key }) => [fileName, key])).toEqual([
      ['0.txt', undefined],
      ['1.txt', undefined],
    ])
  })

  it('may have other fields behind its files', async () => {
    const larger = [0, 1, 2].flatMap((at) => file(`${at}.txt`, new Uint8Array(MIB / 2)))
    expect(await receive(post([...larger, field('submit', 'Upload'), END]))).toMatchObject({
      problem: null,
      taken: [{}, {}, {}],
    })
  })

  it('that breaks off after files were taken says that there is more to send', async () => {
    const larger = [0, 1, 2].flatMap((at) => file(`${at}.txt`, new Uint8Array(MIB / 2)))
    const { problem, taken } = await receive(post(larger))
    expect([problem, taken.length]).toEqual(['FORM_INCOMPLETE', 2])
  })

  it('that breaks off leaves nothing behind', async () => {
    const form = [...file('a.txt', 'one'), fileStart('b.txt'), encoder.encode('tw')]
    expect(await receive(post(form))).toEqual({ problem: 'INVALID_INPUT', taken: [] })
  })

  it.each([
    ['longer', -1],
    ['shorter', 1],
  ])('%s than announced is refused and leaves nothing behind', async (_, more) => {
    const form = [...file('a.txt', 'one'), END]
    const announced = String(lengthOf(form) + more)
    expect(await receive(post(form, { 'Content-Length': announced }))).toEqual({
      problem: 'INVALID_INPUT',
      taken: [],
    })
  })

  it.each([
    ['no boundary', 'multipart/form-data'],
    ['no multipart form', 'application/x-www-form-urlencoded'],
  ])('with %s is refused', async (_, contentType) => {
    const { problem } = await receive(post([...file('a.txt', 'one'), END], { 'Content-Type': contentType }))
    expect(problem).toBe('INVALID_INPUT')
  })

  it('of thousands of parts is refused and leaves nothing behind', async () => {
    const form = Array.from({ length: 3000 }, (_, at) => file(`${at}.txt`, 'x')).flat()
    expect(await receive(post([...form, END]))).toEqual({ problem: 'INVALID_INPUT', taken: [] })
  })

  it('with a field as large as a file is refused', async () => {
    const { problem } = await receive(
      post([field('requestKey', 'k'.repeat(10_000)), ...file('a.txt', 'one'), END]),
    )
    expect(problem).toBe('INVALID_INPUT')
  })

  it('announced as too large is refused before anything of it is held', async () => {
    const { problem } = await receive(post([], { 'Content-Length': String(21 * MIB) }))
    expect(problem).toBe('FILE_TOO_LARGE')
  })

  it('without an end is given up', async () => {
    function* endless() {
      yield fileStart('a.txt')
      for (;;) yield new Uint8Array(MIB)
    }
    const request = post(endless())
    expect(await receive(request)).toEqual({ problem: 'FILE_TOO_LARGE', taken: [] })
    expect(request.sent()).toBeLessThan(90 * MIB)
  })

  it('whose sender falls silent is given up', async () => {
    vi.useFakeTimers()
    const silent = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(fileStart('a.txt')),
    })
    const receiving = receive(
      new Request('https://millrace.test/files', {
        method: 'POST',
        body: silent,
        headers: { 'Content-Type': `multipart/form-data; boundary=${BOUNDARY}` },
        duplex: 'half',
      } as RequestInit),
    )
    await vi.advanceTimersByTimeAsync(200_000)
    expect(await receiving).toEqual({ problem: 'INVALID_INPUT', taken: [] })
  })

  it('that fails for a reason of ours gives its room back', async () => {
    const take = () => Promise.reject(new Error('database down'))
    for (let each = 0; each < 60; each++) {
      await expect(receive(post([...file('a.txt', 'one'), END]), { take })).rejects.toThrow('database down')
    }
    expect(await receive(post([...file('a.txt', 'one'), END]))).toMatchObject({ problem: null })
  })
})

describe('the room for bodies of one isolate', () => {
  const roomy = { maxFileBytes: 10 * MIB }

  it('takes twenty small uploads at once', async () => {
    const form = [...file('a.txt', 'one'), END]
    const announced = { 'Content-Length': String(lengthOf(form)) }
    const uploads = await Promise.all(Array.from({ length: 20 }, () => receive(post(form, announced), roomy)))
    expect(uploads.map(({ problem }) => problem)).toEqual(Array.from({ length: 20 }, () => null))
  })

  const largest = () => [...file('a.txt', new Uint8Array(10 * MIB)), END]

  /** Uploads of the largest size by these people, held until each is let go. */
  async function hold(owners: string[]) {
    const holds: (() => void)[] = []
    const take = () => new Promise<void>((resolve) => holds.push(resolve))
    const all = owners.map((owner) => receive(post(largest()), { ...roomy, owner, take }))
    await vi.waitUntil(() => holds.length === owners.length, { timeout: 5000 })
    return {
      endOne: async () => {
        holds.pop()?.()
        await Promise.race(all)
      },
      endAll: async () => {
        for (const release of holds) release()
        await Promise.all(all)
      },
    }
  }

  it('takes four of the largest at once, sends the fifth away, and takes it when one has ended', async () => {
    const held = await hold(['ada', 'ada', 'bob', 'bob'])
    const fifth = () => receive(post(largest()), { ...roomy, owner: 'eve' })
    expect(await fifth()).toEqual({ problem: 'BUSY', taken: [] })
    await held.endOne()
    expect(await fifth()).toMatchObject({ problem: null })
    await held.endAll()
  })

  it('is never all one account’s: two of its largest leave the rest to everybody else', async () => {
    const held = await hold(['ada', 'ada'])
    expect(await receive(post(largest()), roomy)).toEqual({ problem: 'BUSY', taken: [] })
    expect(await receive(post(largest()), { ...roomy, owner: 'eve' })).toMatchObject({ problem: null })
    await held.endAll()
  })

  it('comes back from a request that the platform has ended without a word', () => {
    vi.useFakeTimers()
    const all = ['ada', 'bob'].map((owner) => takeBodyRoom(owner, INFLIGHT_BODY_BYTES / 2))
    expect(all).not.toContain(null)
    expect(takeBodyRoom('eve', 1)).toBeNull()
    vi.advanceTimersByTime(10 * 60_000)
    const room = takeBodyRoom('ada', INFLIGHT_BODY_BYTES_EACH)
    expect(room).not.toBeNull()
    room?.release()
    room?.release()
    room?.touch()
    const again = takeBodyRoom('ada', INFLIGHT_BODY_BYTES_EACH)
    expect(again).not.toBeNull()
    again?.release()
  })
})
