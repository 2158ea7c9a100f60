/** The wheel in the stream. Takes its colour from the text around it; `public/favicon.svg` is the same drawing. */
export function Mark({ size = 32 }: { size?: number }) {
  return (
    <svg
      viewBox="0 0 32 32"
      width={size}
      height={size}
      fill="none"
      stroke="currentColor"
      strokeLinecap="round"
      aria-hidden="true"
      focusable="false"
      className="shrink-0"
    >
      <path strokeWidth="2.4" d="M5.6 19.2A11.2 11.2 0 1 1 26.4 19.2M10.9 18.2a6 6 0 1 1 10.2 0" />
      <path
        strokeWidth="2.2"
        d="M10.2 16.6L4.9 16.1M10.7 12.3L7.0 8.4M13.8 9.4L13.7 4.0M18.2 9.4L21.6 5.3M21.3 12.3L26.7 11.6M21.8 16.6L26.2 19.6"
      />
      <path
        d="M1.5 25c2.4 0 2.4-2.3 4.8-2.3s2.4 2.3 4.9 2.3 2.4-2.3 4.8-2.3 2.4 2.3 4.8 2.3 2.5-2.3 4.9-2.3 2.4 2.3 4.8 2.3"
        strokeWidth="2.4"
      />
      <path
        d="M1.5 30c2.4 0 2.4-2.3 4.8-2.3s2.4 2.3 4.9 2.3 2.4-2.3 4.8-2.3 2.4 2.3 4.8 2.3 2.5-2.3 4.9-2.3 2.4 2.3 4.8 2.3"
        strokeWidth="2.4"
      />
    </svg>
  )
}
