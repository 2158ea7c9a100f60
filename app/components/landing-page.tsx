import type { ReactNode } from 'react'
import { LinkButton } from './button'
import { Sign, StateIcon } from './icons'
import { Remark } from './remark'

/** What this is, in one screen; and which parts need what, without promising more than there is. */
export function LandingPage({ signedIn, farewell = false }: { signedIn: boolean; farewell?: boolean }) {
  return (
    <div className="shell">
      {farewell && !signedIn ? (
        <Remark>Your account is deleted, with everything in it. Thank you for having been here.</Remark>
      ) : null}
      <div className="max-w-[44rem] pt-2 sm:pt-8">
        <h1 className="text-display sm:text-hero">Leave a file. Come back to one correct result.</h1>
        <p className="mt-4 max-w-[38rem] text-large text-soft">
          A workbench for your files and the slow work done on them. Close the laptop, lose the train’s
          connection, let a worker crash: the task goes on, and it takes effect once.
        </p>
        <div className="mt-6 flex flex-wrap gap-3">
          {signedIn ? (
            <>
              <LinkButton to="/tasks" look="primary">
                Your tasks
              </LinkButton>
              <LinkButton to="/files">Your files</LinkButton>
            </>
          ) : (
            <>
              <LinkButton to="/signup" look="primary">
                Sign up
              </LinkButton>
              <LinkButton to="/login">Log in</LinkButton>
            </>
          )}
        </div>
      </div>

      <section aria-labelledby="course-title" className="mt-14">
        <h2 id="course-title" className="sr-only">
          The course of a task
        </h2>
        <ol className="course">
          <Station kind="waiting" icon={<Sign name="stored" />} title="Stored">
            File and task are in the database before anything else happens.
          </Station>
          <Station kind="waiting" icon={<StateIcon status="queued" />} title="Queued">
            Handed to a queue, and again if the queue forgets it.
          </Station>
          <Station kind="running" icon={<StateIcon status="running" />} title="Running">
            One worker holds it at a time. If it dies, the next one takes over.
          </Station>
          <Station kind="done" icon={<StateIcon status="succeeded" />} title="Done">
            The result is published in one step, or not at all.
          </Station>
        </ol>
      </section>

      <section aria-labelledby="where-title" className="mt-14 border-t border-line pt-6">
        <h2 id="where-title" className="mb-4 text-large">
          What runs where
        </h2>
        <div className="grid gap-x-14 gap-y-6 lg:grid-cols-2">
          <div>
            <h3>On one machine, without any account</h3>
            <p className="mt-1 text-soft">
              Everything you see here: accounts, files, tasks, a real PostgreSQL, and local stand-ins for the
              queue, file storage and the minute’s clock. It is for trying and developing, and it lasts as
              long as that machine does.
            </p>
          </div>
          <div>
            <h3>With a Cloudflare account</h3>
            <p className="mt-1 text-soft">
              A public address, workers that run near people and many at a time, lasting file storage and a
              managed queue. You bring a PostgreSQL that Cloudflare can reach. Same code, your account, your
              data.
            </p>
          </div>
        </div>
      </section>
    </div>
  )
}

interface StationProps {
  kind: string
  icon: ReactNode
  title: string
  children: ReactNode
}

function Station({ kind, icon, title, children }: StationProps) {
  return (
    <li data-kind={kind}>
      <span className="state course-node">{icon}</span>
      <h3 className="state">{title}</h3>
      <p className="mt-0.5 text-small text-soft">{children}</p>
    </li>
  )
}
