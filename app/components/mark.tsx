/**
 * The wheel in the stream, in the colour of the text around it. The drawing is `public/favicon.svg`, used as a mask: the
 * browser has that file anyway, and the drawing is in no script.
 */
export function Mark() {
  return <span className="mark" aria-hidden="true" />
}
