import { Link } from '@remix-run/react'
import { FileName } from './file-name'
import { counted } from './format'
import { Notice } from './notice'
import { Remark } from './remark'
import type { BulkReport } from './types'

/** What became of each of several tasks. Marked as a problem only where something was refused. */
export function BulkReportNotice({ report }: { report: BulkReport }) {
  const { did, items } = report
  const refused = items.filter((item) => item.refused).length
  const title = `${did === 'cancel' ? 'Cancelling' : 'Retrying'} ${counted(items.length, 'task', 'tasks')}: ${
    refused === 0 ? 'done.' : `${items.length - refused} done, ${refused} not.`
  }`
  const list = (
    <ul className="mt-1 grid gap-1">
      {items.map(({ taskId, inputName, text }) => (
        <li key={taskId}>
          {inputName === null ? null : (
            <>
              <Link to={`/tasks/${taskId}`} className="link">
                <FileName name={inputName} short />
              </Link>
              {': '}
            </>
          )}
          {text}
        </li>
      ))}
    </ul>
  )
  // By its content: the page's data are fetched anew while it is read, and the focus must not come back each time.
  const about = JSON.stringify(report)
  return refused > 0 ? (
    <Notice about={about} title={title}>
      {list}
    </Notice>
  ) : (
    <Remark>
      <p role="status" className="font-strong">
        {title}
      </p>
      {list}
    </Remark>
  )
}
