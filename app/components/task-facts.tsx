import { Fact } from './fact'
import { FileName } from './file-name'
import { formatBytes, formatDuration } from './format'
import { SectionTitle } from './page-header'
import { Time } from './time'
import type { TaskView } from './types'
import { parameterLabel, parameterValue } from './wording'

/** What the task was asked to do, with what, and when. */
export function TaskFacts({ task }: { task: TaskView }) {
  return (
    <section aria-labelledby="facts-title" className="mt-10">
      <SectionTitle id="facts-title">Facts</SectionTitle>
      <dl>
        <Fact term="File">
          {task.input.available ? (
            <a
              href={`/files/${task.input.fileId}/download`}
              className="link -my-2.5 inline-block py-2.5"
              download
            >
              <FileName name={task.input.name} />
            </a>
          ) : (
            <FileName name={task.input.name} />
          )}
          <span className="block text-small text-soft">
            {formatBytes(task.input.size)}
            {task.input.available ? '' : ', no longer stored'}
          </span>
        </Fact>
        <Fact term="What to do">{task.processorTitle}</Fact>
        {Object.entries(task.params).map(([name, value]) => (
          <Fact key={name} term={parameterLabel(name)}>
            {parameterValue(value)}
          </Fact>
        ))}
        <Fact term="Attempts">
          {task.attempts} of at most {task.maxAttempts}
        </Fact>
        <Fact term="Submitted">
          <Time iso={task.createdAt} exact />
        </Fact>
        {task.finishedAt ? (
          <Fact term="Ended">
            <Time iso={task.finishedAt} exact />
            <span className="block text-small text-soft">
              {formatDuration(new Date(task.finishedAt).getTime() - new Date(task.createdAt).getTime())} after
              it was submitted
            </span>
          </Fact>
        ) : null}
        <Fact term="Task number">
          <span className="font-mono text-small [overflow-wrap:anywhere]">{task.id}</span>
        </Fact>
      </dl>
    </section>
  )
}
