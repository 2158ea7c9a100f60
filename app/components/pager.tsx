import { Link } from '@remix-run/react'
import { Sign } from './icons'

/** The two ways out of one page of a list. Nothing when the list has only this page. */
export function Pager({
  newer,
  older,
  label,
}: {
  newer: string | null
  older: string | null
  label: string
}) {
  if (!newer && !older) return null
  return (
    <nav aria-label={label} className="mt-6 flex justify-between gap-4">
      {newer ? (
        <Link to={newer} rel="prev" className="button">
          <Sign name="back" />
          Newer
        </Link>
      ) : (
        <span />
      )}
      {older ? (
        <Link to={older} rel="next" className="button">
          Older
          <Sign name="forward" />
        </Link>
      ) : null}
    </nav>
  )
}
