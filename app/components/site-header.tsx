import { Form, Link, useLocation } from '@remix-run/react'
import { Mark } from './mark'

export interface HeaderUser {
  name: string
  email: string
}

const ITEM = 'flex min-h-14 items-center px-1.5 sm:px-3'

/** A link that marks the part of the site one is in. (The router's own `NavLink` costs half a kilobyte more.) */
function NavItem({ to, children }: { to: string; children: string }) {
  const { pathname } = useLocation()
  const here = pathname === to || pathname.startsWith(`${to}/`)
  return (
    <li>
      <Link
        to={to}
        aria-current={pathname === to ? 'page' : here || undefined}
        className={`${ITEM} border-y-[3px] border-t-transparent hover:text-accent ${
          here ? 'border-b-accent font-strong' : 'border-b-transparent'
        }`}
      >
        {children}
      </Link>
    </li>
  )
}

/** Name, places, account. The mark alone stands for the name where the screen is narrow. */
export function SiteHeader({ user, siteName }: { user: HeaderUser | null; siteName: string }) {
  return (
    <header className="border-b border-line">
      <div className="shell flex items-stretch justify-between gap-2">
        <Link to="/" className="-ms-1 flex min-h-14 items-center gap-2.5 px-1 text-large font-strong">
          <span className="text-accent">
            <Mark />
          </span>
          <span className={user ? 'max-[26rem]:sr-only' : ''}>{siteName}</span>
        </Link>
        <nav aria-label="Main" className="-me-2 sm:-me-3">
          <ul className="flex items-stretch">
            {user ? (
              <>
                <NavItem to="/files">Files</NavItem>
                <NavItem to="/tasks">Tasks</NavItem>
                <NavItem to="/account">Account</NavItem>
                <li className="flex items-center">
                  <Form method="post" action="/logout">
                    <button
                      type="submit"
                      className={`${ITEM} text-soft hover:text-accent`}
                      title={`Signed in as ${user.email}`}
                    >
                      Log out
                    </button>
                  </Form>
                </li>
              </>
            ) : (
              <>
                <NavItem to="/login">Log in</NavItem>
                <NavItem to="/signup">Sign up</NavItem>
              </>
            )}
          </ul>
        </nav>
      </div>
    </header>
  )
}

export function SiteFooter({ user, siteName }: { user: HeaderUser | null; siteName: string }) {
  return (
    <footer className="mt-16 border-t border-line text-small text-soft">
      <div className="shell flex flex-wrap items-center justify-between gap-x-6 py-3">
        <Link to="/" className="link-alone hover:text-accent">
          About {siteName}
        </Link>
        {user ? (
          <p className="flex min-h-11 min-w-0 items-center">
            <span className="min-w-0 [overflow-wrap:anywhere]">Signed in as {user.email}</span>
          </p>
        ) : null}
      </div>
    </footer>
  )
}
