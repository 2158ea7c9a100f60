import { connect } from 'node:net'
import type { SiteAddress } from './person'

export interface RawRequest {
  /** Sends more; resolves when the machine has taken it. */
  send: (more: string | Uint8Array) => Promise<void>
  /** Ends the sending side. */
  end: () => void
  /** Breaks the connection off. */
  destroy: () => void
  /** All that came back, once the connection has ended. Never throws: what came before a reset is the answer. */
  readonly answer: Promise<string>
  /** Whether the connection is gone. */
  readonly ended: boolean
  /** What has come back by now. */
  readonly soFar: string
}

/**
 * A request as no browser and no HTTP client sends it: what is announced and what is sent are the test's to choose. A header
 * of null is left out.
 */
export function openRawRequest(
  site: SiteAddress,
  path: string,
  {
    method = 'POST',
    cookie = '',
    headers = {},
  }: { method?: string; cookie?: string; headers?: Record<string, string | null> } = {},
): RawRequest {
  const address = new URL(site.address)
  const all: Record<string, string | null> = {
    host: address.host,
    origin: site.origin,
    connection: 'close',
    ...(cookie && { cookie }),
    ...headers,
  }
  const lines = Object.entries(all).map(([name, value]) => (value === null ? '' : `${name}: ${value}\r\n`))
  const socket = connect(Number(address.port), address.hostname)
  socket.setNoDelay(true)
  socket.write(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`)
  let soFar = ''
  socket.on('data', (data) => (soFar += data.toString('latin1')))
  socket.on('error', () => {}) // `close` follows
  const answer = new Promise<string>((resolve) => socket.on('close', () => resolve(soFar)))
  return {
    send: (more) => new Promise((resolve) => socket.write(more, () => resolve())),
    end: () => void socket.end(),
    destroy: () => void socket.destroy(),
    answer,
    get ended() {
      return socket.destroyed
    },
    get soFar() {
      return soFar
    },
  }
}
