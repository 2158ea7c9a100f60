import { createContext, useContext } from 'react'

/** The content security policy's nonce of this response. Empty in the browser, which hides nonces from scripts. */
export const NonceContext = createContext('')

export function useNonce(): string {
  return useContext(NonceContext)
}
