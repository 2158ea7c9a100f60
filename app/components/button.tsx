import { Link } from '@remix-run/react'
import type { ReactNode } from 'react'

export type ButtonLook = 'primary' | 'quiet' | 'destructive'

const LOOKS: Record<ButtonLook, string> = {
  primary: 'button button-primary',
  quiet: 'button',
  destructive: 'button button-destructive',
}

interface ButtonProps {
  children: ReactNode
  look?: ButtonLook
  /** Its form is on its way: a second press does nothing, and the button keeps its size and the focus. */
  busy?: boolean
  /** Where it sends its form, if not where the form says. */
  formAction?: string
  className?: string
}

/**
 * Submits its form. While `busy` it is not `disabled`, which would throw the focus away: the press is swallowed.
 * That only spares a request; that sending twice is sending once is the server's promise.
 */
export function SubmitButton({
  children,
  look = 'primary',
  busy = false,
  formAction,
  className = '',
}: ButtonProps) {
  return (
    <button
      type="submit"
      formAction={formAction}
      className={`${LOOKS[look]} ${className}`}
      aria-disabled={busy || undefined}
      onClick={busy ? (event) => event.preventDefault() : undefined}
    >
      {children}
    </button>
  )
}

interface LinkButtonProps {
  children: ReactNode
  to: string
  look?: ButtonLook
  /** For bytes and everything else that is no page of the app. */
  reloadDocument?: boolean
  className?: string
}

export function LinkButton({
  children,
  to,
  look = 'quiet',
  reloadDocument,
  className = '',
}: LinkButtonProps) {
  return (
    <Link to={to} reloadDocument={reloadDocument} className={`${LOOKS[look]} ${className}`}>
      {children}
    </Link>
  )
}
