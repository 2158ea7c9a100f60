import { Link } from '@remix-run/react'
import { FileName } from './file-name'
import { counted } from './format'
import { Notice } from './notice'
import type { DeletionOutcome } from './types'

/** What became of each file that was to be deleted, after an answer in which not all were. */
export function DeletionNotice({ outcomes }: { outcomes: DeletionOutcome[] }) {
  const deleted = outcomes.filter(({ failure }) => failure === null).length
  return (
    <Notice
      about={outcomes}
      title={`${deleted} of ${counted(outcomes.length, 'file was', 'files were')} deleted.`}
    >
      <ul className="mt-1 grid gap-2">
        {outcomes.map(({ name, failure, task }, index) => (
          <li key={index}>
            {name === null ? 'A file' : <FileName name={name} short />}
            {failure ? `: ${failure.message} ${failure.next}` : ': deleted.'}
            {task ? (
              <span className="block">
                <Link to={`/tasks/${task.id}`} className="link link-alone">
                  {task.title}
                </Link>
              </span>
            ) : null}
          </li>
        ))}
      </ul>
    </Notice>
  )
}
