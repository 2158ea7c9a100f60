import type { HeadersFunction, LinksFunction, LoaderFunctionArgs, MetaFunction } from '@remix-run/cloudflare'
import {
  isRouteErrorResponse,
  Links,
  LiveReload,
  Meta,
  Outlet,
  Scripts,
  ScrollRestoration,
  useMatches,
  useRouteError,
  useRouteLoaderData,
} from '@remix-run/react'
import type { ReactNode } from 'react'
import { ErrorPage } from './components/error-page'
import { failureOf } from './components/failure-of'
import { unlessAnswerLost } from './components/lost-answer'
import { useNonce } from './components/nonce'
import { SiteFooter, SiteHeader } from './components/site-header'
import { pageTitle } from './components/wording'
import { site } from './config/site'
import { getUser } from './http/require-user.server'
import styles from './styles/app.css'

export const links: LinksFunction = () => [
  { rel: 'stylesheet', href: styles },
  { rel: 'icon', href: '/favicon.svg', type: 'image/svg+xml' },
  { rel: 'apple-touch-icon', href: '/apple-touch-icon.png' },
]

/** Remix drops the headers of a thrown answer unless the root asks for them: `Retry-After` is one. */
export const headers: HeadersFunction = ({ errorHeaders }) => errorHeaders ?? new Headers()

/** For pages without a title of their own; an error's is what happened. */
export const meta: MetaFunction = ({ error }) => [
  { title: error ? pageTitle(failureOf(answerOf(error)).message.replace(/\.$/, '')) : site.name },
]

export async function loader({ request, context }: LoaderFunctionArgs) {
  const user = await getUser(request, context)
  return { user: user && { name: user.name, email: user.email } }
}

export const shouldRevalidate = unlessAnswerLost

export default function Root() {
  return <Outlet />
}

/** What every page stands in, also a page that failed: then the root's data may be missing, and with it the person. */
export function Layout({ children }: { children: ReactNode }) {
  const nonce = useNonce()
  const user = useRouteLoaderData<typeof loader>('root')?.user ?? null
  return (
    <html lang="en">
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="theme-color" media="(prefers-color-scheme: light)" content="#f8f9f8" />
        <meta name="theme-color" media="(prefers-color-scheme: dark)" content="#101617" />
        <Meta />
        <Links />
        <ReloadWithoutScript />
      </head>
      <body className="flex min-h-dvh flex-col">
        <a href="#main" className="skip-link">
          Skip to the content
        </a>
        <SiteHeader user={user} siteName={site.name} />
        <main id="main" tabIndex={-1} className="flex-1 pt-8 outline-none">
          {children}
        </main>
        <SiteFooter user={user} siteName={site.name} />
        <ScrollRestoration nonce={nonce} />
        <Scripts nonce={nonce} />
        <LiveReload nonce={nonce} origin={process.env.REMIX_DEV_ORIGIN} />
      </body>
    </html>
  )
}

/** A route whose data name `refreshSeconds` is reloaded that often where no script keeps it up to date. */
function ReloadWithoutScript() {
  const seconds = useMatches().map(({ data }) => refreshSeconds(data))
  const wanted = seconds.find((each) => each !== null)
  if (!wanted) return null
  return (
    <noscript>
      <meta httpEquiv="refresh" content={String(wanted)} />
    </noscript>
  )
}

function refreshSeconds(data: unknown): number | null {
  if (typeof data !== 'object' || data === null || !('refreshSeconds' in data)) return null
  return typeof data.refreshSeconds === 'number' ? data.refreshSeconds : null
}

export function ErrorBoundary() {
  const answer = answerOf(useRouteError())
  return <ErrorPage status={answer?.status ?? 500} failure={failureOf(answer)} />
}

/** Null for whatever is no answer that a route gave on purpose: its message may tell what is nobody's business. */
function answerOf(error: unknown): { status: number; data: unknown } | null {
  return isRouteErrorResponse(error) ? { status: error.status, data: error.data as unknown } : null
}
