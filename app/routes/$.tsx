import type { LoaderFunctionArgs } from '@remix-run/cloudflare'
import { notFound } from '~/http/path-id.server'

/** Every path that is no page. */
export function loader({ request }: LoaderFunctionArgs): Response {
  throw notFound(request)
}

export function action({ request }: LoaderFunctionArgs): Response {
  throw notFound(request)
}

export default function NotFound() {
  return null
}
