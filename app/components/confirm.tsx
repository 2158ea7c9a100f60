import { Form } from '@remix-run/react'
import type { ReactNode } from 'react'
import { SubmitButton } from './button'

interface ConfirmProps {
  /** What opens the question. */
  label: ReactNode
  /** Says what will be lost, and what not. */
  question: ReactNode
  /** The button that does it. */
  doIt: string
  action: string
  busy?: boolean
}

/** Asks once before a destructive form is sent; a native disclosure, so it asks without JavaScript too. */
export function Confirm({ label, question, doIt, action, busy }: ConfirmProps) {
  return (
    <details className="group open:basis-full">
      <summary className="link-alone rounded-edge text-failed underline decoration-1 underline-offset-[0.2em] hover:decoration-2">
        {label}
      </summary>
      <div className="mb-3 border-s-2 border-failed ps-4">
        <p className="mb-3 max-w-[34rem]">{question}</p>
        <Form method="post" action={action}>
          <SubmitButton look="destructive" busy={busy}>
            {doIt}
          </SubmitButton>
        </Form>
      </div>
    </details>
  )
}
