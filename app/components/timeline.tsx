import { Sign, StateIcon } from './icons'
import type { TaskEvent } from './task-events'
import { Time } from './time'

/** A task's history as stations on the channel; the way to what is still expected is dashed. */
export function Timeline({ events }: { events: TaskEvent[] }) {
  return (
    <ol className="stations">
      {events.map((event, index) => (
        <li
          key={event.key}
          data-kind={event.kind}
          data-next={events[index + 1]?.expected ? 'dashed' : 'solid'}
        >
          <Node event={event} />
          <p className={event.expected ? 'text-soft' : 'font-strong'}>{event.title}</p>
          {event.failure ? <p className="mt-0.5">{event.failure.message}</p> : null}
          {event.detail ? <p className="text-small text-soft">{event.detail}</p> : null}
          {event.at ? (
            <p className="text-small text-soft">
              <Time iso={event.at} exact />
            </p>
          ) : null}
          {event.expected && !event.at ? <p className="text-small text-soft">Still to come</p> : null}
        </li>
      ))}
    </ol>
  )
}

function Node({ event: { icon } }: { event: TaskEvent }) {
  return (
    <span className="state absolute start-0 top-0.5 bg-paper">
      {'status' in icon ? <StateIcon status={icon.status} /> : <Sign name={icon.sign} />}
    </span>
  )
}
