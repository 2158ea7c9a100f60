import { LinkButton } from './button'
import { FileName } from './file-name'
import { formatBytes } from './format'
import { Sign } from './icons'
import { SectionTitle } from './page-header'
import { Time } from './time'
import type { TaskView } from './types'

export function TaskResult({ result }: { result: NonNullable<TaskView['result']> }) {
  return (
    <section aria-labelledby="result-title" className="mt-10">
      <SectionTitle id="result-title">Result</SectionTitle>
      <p className="font-strong">
        <FileName name={result.name} />
      </p>
      <p className="text-small text-soft">
        {formatBytes(result.size)}
        {result.available && result.expiresAt ? (
          <>
            <br />
            {'Kept until '}
            <Time iso={result.expiresAt} exact />
          </>
        ) : null}
      </p>
      {result.available ? (
        <div className="mt-4 flex flex-wrap gap-3">
          <LinkButton to={`/files/${result.fileId}/download`} look="primary" reloadDocument>
            <Sign name="download" />
            Download
          </LinkButton>
          <LinkButton to={`/files/${result.fileId}`}>Preview</LinkButton>
        </div>
      ) : (
        <p className="mt-2">
          It has expired or was deleted. Starting the task again with the same inputs makes it anew.
        </p>
      )}
    </section>
  )
}
