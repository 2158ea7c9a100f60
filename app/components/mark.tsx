/** The wheel in the stream. Takes its colour from the text around it; `public/favicon.svg` is the same drawing. */
export function Mark({ size = 32 }: { size?: number }) {
  return (
    <svg
      viewBox="0 0 32 32"
      width={size}
      height={size}
      fill="none"
      stroke="currentColor"
      aria-hidden="true"
      focusable="false"
      className="shrink-0"
    >
      <circle cx="16" cy="13.5" r="6.6" strokeWidth="2.2" />
      <path d="M16 1.7v23.6M5.8 7.6l20.4 11.8M5.8 19.4 26.2 7.6" strokeWidth="2.2" strokeLinecap="round" />
      <path
        d="M1.5 28.4c2.4 0 2.4-2.3 4.8-2.3s2.4 2.3 4.9 2.3 2.4-2.3 4.8-2.3 2.4 2.3 4.8 2.3 2.5-2.3 4.9-2.3 2.4 2.3 4.8 2.3"
        strokeWidth="2.4"
        strokeLinecap="round"
      />
    </svg>
  )
}
