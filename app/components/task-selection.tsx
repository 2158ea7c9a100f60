import { Form, useNavigation } from '@remix-run/react'
import { useState, type ReactNode } from 'react'
import { SubmitButton } from './button'
import { counted } from './format'

/**
 * The form around rows with boxes. What can be done with the chosen ones shows itself once one is chosen that it can be
 * done with: by style alone, so without JavaScript too; a browser that can't tell shows it always.
 */
export function TaskSelection({ children }: { children: ReactNode }) {
  const busy = useNavigation().state !== 'idle'
  const [chosen, setChosen] = useState(0)
  return (
    <Form
      method="post"
      action="/tasks/cancel"
      className="choosing"
      onChange={(event) => setChosen(new FormData(event.currentTarget).getAll('taskId').length)}
    >
      {/* Enter on a box presses the first button of its form: this one does nothing. */}
      <button type="submit" disabled hidden />
      {children}
      <div className="chosen">
        <p role="status" className="text-small text-soft">
          {chosen > 0 ? `${counted(chosen, 'task', 'tasks')} chosen` : null}
        </p>
        <SubmitButton busy={busy} formAction="/tasks/retry" className="for-retry">
          Retry
        </SubmitButton>
        <details className="for-cancel open:basis-full">
          <summary className="link-alone rounded-edge text-failed underline decoration-1 underline-offset-[0.2em] hover:decoration-2">
            Cancel …
          </summary>
          <div className="mb-2 border-s-2 border-failed ps-4">
            <p className="mb-3 max-w-[34rem]">
              Those that wait end at once; those that run end when their workers have stopped. No result is
              kept; your files stay as they are.
            </p>
            <SubmitButton busy={busy} look="destructive">
              Cancel the chosen tasks
            </SubmitButton>
          </div>
        </details>
      </div>
    </Form>
  )
}
