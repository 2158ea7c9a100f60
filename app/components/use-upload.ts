import { useLocation, useNavigate, useRevalidator } from '@remix-run/react'
import { useEffect, useRef, useState, type DragEvent, type FormEvent } from 'react'
import { counted } from './format'
import { sendUpload, UPLOAD_LOST, type UploadAnswer } from './send-upload'
import type { FailureText, UploadOutcome } from './types'

/** What became of an upload: of each file, or why the form as a whole was refused. Neither: all is well. */
export interface UploadReply {
  outcomes?: UploadOutcome[] | null
  problem?: FailureText | null
}

/**
 * The reply that a page of files shows: the one that its own script got last, else the one that the page came with. As
 * with any form's answer, going somewhere else ends it.
 */
export function useUploadReply(ofPage: UploadReply): [UploadReply, (reply: UploadReply) => void] {
  const { key } = useLocation()
  const [last, setLast] = useState<{ reply: UploadReply; at: string } | null>(null)
  return [last?.at === key ? last.reply : ofPage, (reply) => setLast({ reply, at: key })]
}

/** Files that failed for what they are: sending them again can't end otherwise. */
const FOR_GOOD = ['FILE_EMPTY', 'FILE_TOO_LARGE', 'FILE_TYPE_UNSUPPORTED']

/** Bytes on their way. */
interface Sending {
  sent: number
  total: number
}

interface UploadOptions {
  /** The key that the form came with. */
  firstKey: string
  /** The `name` of the form's file input. */
  field: string
  onReply: (reply: UploadReply) => void
}

/**
 * Takes over a native form of files: what is dropped on it or pasted joins what is chosen, and sending shows how far it
 * is. Without the script the same form does the same, less comfortably.
 *
 * The same choice is sent under the same key however often, so that after a lost answer nothing is stored twice; another
 * choice, once the key has been used, gets another key. What wasn't kept stays chosen.
 */
export function useUpload({ firstKey, field, onReply }: UploadOptions) {
  const form = useRef<HTMLFormElement>(null)
  const [files, setFiles] = useState<File[]>([])
  const [key, setKey] = useState(firstKey)
  const keyWasUsed = useRef(false)
  const [sending, setSending] = useState<Sending | null>(null)
  const ongoing = useRef<AbortController | null>(null)
  const [announcement, setAnnouncement] = useState('')
  const { revalidate } = useRevalidator()
  const navigate = useNavigate()
  // The answer comes long after the render that sent the form.
  const latest = useRef({ files, revalidate, onReply })
  useEffect(() => {
    latest.current = { files, revalidate, onReply }
  })

  const input = () => form.current?.elements.namedItem(field) as HTMLInputElement | null

  const noteChoice = (chosen: File[]) => {
    setFiles(chosen)
    if (keyWasUsed.current) setKey(keyAfter)
    keyWasUsed.current = false
  }

  /** Makes these the form's files, as if the person had chosen them. */
  const choose = (chosen: File[]) => {
    const list = new DataTransfer()
    for (const file of chosen) list.items.add(file)
    const place = input()
    if (place) place.files = list.files
    noteChoice(chosen)
  }

  const add = (added: File[], how: string) => {
    if (added.length === 0) return
    const chosen = [...latest.current.files, ...added]
    choose(chosen)
    const what = added.length === 1 ? `${added[0]?.name} was` : `${added.length} files were`
    setAnnouncement(`${what} ${how}. ${counted(chosen.length, 'file is', 'files are')} chosen.`)
  }
  const latestAdd = useRef(add)
  useEffect(() => {
    latestAdd.current = add
  })

  useEffect(() => {
    // Chosen before the script was there.
    const chosen = Array.from(input()?.files ?? [])
    if (chosen.length > 0) setFiles(chosen)
    const ended = new AbortController()
    const onPaste = (event: ClipboardEvent) => {
      if (!event.clipboardData || isTyping(event.target)) return
      const pasted = pastedFiles(event.clipboardData)
      if (pasted.length > 0) event.preventDefault()
      latestAdd.current(pasted, 'pasted')
    }
    document.addEventListener('paste', onPaste, { signal: ended.signal })
    return () => {
      ended.abort()
      ongoing.current?.abort()
    }
    // eslint-disable-next-line react-hooks/exhaustive-deps -- once, for as long as the form is there
  }, [])

  /** Files that had arrived whole may be kept. Asked first, because it may be a dead connection that was given up. */
  const lookAgain = async () => {
    const reachable = await fetch('/files', { method: 'HEAD' }).then(
      () => true,
      () => false,
    )
    if (reachable && form.current && !ongoing.current) latest.current.revalidate()
  }

  const conclude = (answer: UploadAnswer, sent: File[]) => {
    setSending(null)
    ongoing.current = null
    if (answer.is === 'signed-out') return navigate('/login?redirectTo=/files')
    // The connection may be lost: loading anything now could replace the page by an error.
    if (answer.is === 'lost') return latest.current.onReply({ outcomes: null, problem: UPLOAD_LOST })
    if (answer.is === 'canceled') {
      setAnnouncement('The upload was canceled. Your choice is kept.')
      void lookAgain()
      return
    }
    const { outcomes, problem } = answer
    if (outcomes.length > 0) {
      const done = sent.filter((_, index) => isSettled(outcomes[index]))
      choose(latest.current.files.filter((file) => !done.includes(file)))
    }
    latest.current.onReply({ outcomes: problem && outcomes.length > 0 ? outcomes : null, problem })
    setAnnouncement(problem ? '' : `${counted(outcomes.length, 'file was', 'files were')} kept.`)
    latest.current.revalidate()
  }

  const send = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (ongoing.current) return
    const canceling = new AbortController()
    ongoing.current = canceling
    keyWasUsed.current = true
    setSending({ sent: 0, total: files.reduce((sum, { size }) => sum + size, 0) })
    setAnnouncement('Uploading.')
    const answer = await sendUpload(new FormData(event.currentTarget), {
      signal: canceling.signal,
      onProgress(sent, total) {
        setSending({ sent, total })
        setAnnouncement(progressInWords(sent, total))
      },
    })
    // Aborted by leaving the page.
    if (form.current) conclude(answer, files)
  }

  /** The person's wish, while something is on its way. The focus goes back to what they pressed before. */
  const cancel = () => {
    ongoing.current?.abort()
    form.current?.querySelector<HTMLElement>('[type=submit]')?.focus()
  }

  const remove = (file: File) => {
    choose(files.filter((each) => each !== file))
    setAnnouncement(`${file.name} is no longer chosen.`)
    input()?.focus()
  }

  return {
    files,
    key,
    sending,
    announcement,
    cancel,
    remove,
    formProps: {
      ref: form,
      onSubmit: (event: FormEvent<HTMLFormElement>) => void send(event),
      onChange: () => noteChoice(Array.from(input()?.files ?? [])),
      onDragOver: (event: DragEvent) => {
        if (event.dataTransfer.types.includes('Files')) event.preventDefault()
      },
      onDrop: (event: DragEvent) => {
        if (!event.dataTransfer.types.includes('Files')) return
        event.preventDefault()
        add(Array.from(event.dataTransfer.files), 'dropped')
      },
    },
  }
}

const isSettled = (outcome: UploadOutcome | undefined) =>
  outcome !== undefined && (outcome.failure === null || FOR_GOOD.includes(outcome.failure.code))

/** The key with its last block counted on: as unique as the first one, which nobody else has. */
function keyAfter(key: string): string {
  const next = (parseInt(key.slice(-12), 16) + 1) % 16 ** 12
  return key.slice(0, -12) + next.toString(16).padStart(12, '0')
}

/** In quarters: a live region that changes with every packet would never stop talking. */
function progressInWords(sent: number, total: number): string {
  if (sent >= total) return 'All is sent and being stored.'
  return `Uploading: ${Math.floor((sent / total) * 4) * 25} % sent.`
}

/** What is pasted there belongs there. */
function isTyping(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest('input:not([type=file]), textarea, dialog') !== null
}

/** Files on the clipboard, or its text as one. */
function pastedFiles(clipboard: DataTransfer): File[] {
  const files = Array.from(clipboard.files)
  const text = files.length > 0 ? '' : clipboard.getData('text/plain')
  if (text === '') return files
  const name = `pasted-${new Date().toISOString().slice(0, 19).replace(/[T:]/g, '-')}.txt`
  return [new File([text], name, { type: 'text/plain' })]
}
