/** Says that the page stopped looking for changes, and lets the person go on. */
export function LiveNotice({ paused, resume }: { paused: boolean; resume: () => void }) {
  return (
    <div role="status">
      {paused ? (
        <div className="mb-6 flex flex-wrap items-center gap-x-4 gap-y-2 border-y border-line py-3">
          <p className="min-w-0 flex-1 basis-60">
            The last check for news failed, so this page may be out of date. Your tasks go on.
          </p>
          <button type="button" className="button" onClick={resume}>
            Check again
          </button>
        </div>
      ) : null}
    </div>
  )
}
