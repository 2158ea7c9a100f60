import { useEffect, useRef, type ReactNode } from 'react'

interface DialogProps {
  /** Names it. */
  title: ReactNode
  /** It was closed, in whatever way: the owner stops rendering it. */
  onClose: () => void
  children: ReactNode
  /** What can be done with what it shows; stands still beneath what scrolls. */
  actions?: ReactNode
}

/**
 * The browser's own modal dialog, open for as long as it is rendered: it keeps the focus inside, Escape closes it, and the
 * focus goes back to where it was. Needs JavaScript, so what it shows must have a page too.
 */
export function Dialog({ title, onClose, children, actions }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const close = () => dialog.current?.close()
  useEffect(() => dialog.current?.showModal(), [])
  return (
    <dialog
      ref={dialog}
      className="dialog"
      aria-labelledby="dialog-title"
      onClose={onClose}
      // Beside it, on what it darkens.
      onClick={(event) => event.target === event.currentTarget && close()}
    >
      <div className="dialog-frame">
        <div className="flex items-start justify-between gap-4">
          <h2 id="dialog-title" className="min-w-0 pt-2 text-large font-strong">
            {title}
          </h2>
          <button type="button" className="button" onClick={close}>
            Close
          </button>
        </div>
        {/* In the order of the keyboard, so that arrow keys can scroll it. */}
        <div className="dialog-body" tabIndex={0} role="region" aria-labelledby="dialog-title">
          {children}
        </div>
        {actions ? <div className="flex flex-wrap gap-x-6">{actions}</div> : null}
      </div>
    </dialog>
  )
}
