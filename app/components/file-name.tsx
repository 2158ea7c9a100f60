import { shortName, visibleName } from './visible-name'

/**
 * A file's name, safe to stand in a sentence: isolated in direction, nothing invisible obeyed, broken anywhere rather
 * than overflowing. `short` leaves out the middle of a long one and gives the whole as a tooltip.
 */
export function FileName({ name, short = false }: { name: string; short?: boolean }) {
  const visible = visibleName(name)
  const shown = short ? shortName(visible) : visible
  return (
    <bdi className="[overflow-wrap:anywhere]" title={shown === visible ? undefined : visible}>
      {shown}
    </bdi>
  )
}
