/** Ports of this machine. */
import { createServer } from 'node:net'

/** A port that nothing listens on. @returns {Promise<number>} */
export function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
    })
  })
}

/**
 * Throws an error that says how to choose another port when this one is taken. Both loopback addresses are tried: a
 * server on `::1` alone would answer browsers in our place, for "localhost" means either.
 * @param {number} port @param {string} host
 */
export async function requireFreePort(port, host) {
  for (const address of new Set([host, '127.0.0.1', '::1'])) {
    if ((await listenOnce(port, address)) !== 'EADDRINUSE') continue
    throw new Error(
      `Port ${port} is taken by another program. Choose another one:\n  PORT=${port + 1} npm start`,
    )
  }
}

/** @param {number} port @param {string} address @returns {Promise<string | null>} the error's code */
function listenOnce(port, address) {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', (error) => resolve('code' in error ? String(error.code) : 'UNKNOWN'))
    server.listen(port, address, () => server.close(() => resolve(null)))
  })
}

/** The port that was asked for in the environment. @param {string | undefined} text @param {number} otherwise */
export function portFrom(text, otherwise) {
  if (text === undefined || text === '') return otherwise
  const port = Number(text)
  if (Number.isInteger(port) && port > 0 && port < 65_536) return port
  throw new Error(`PORT is "${text}", but a port is a whole number from 1 to 65535.`)
}
