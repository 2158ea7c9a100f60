import { Notice } from './notice'

interface ErrorSummaryProps {
  errors: Record<string, string[]>
  /** Field names to the ids of their controls. Errors of other fields are shown without a link. */
  fields: Record<string, string>
}

/** Leads from the top of a refused form to each field that has to change. Nothing when there is no error. */
export function ErrorSummary({ errors, fields }: ErrorSummaryProps) {
  const wrong = Object.entries(errors).filter(([, messages]) => messages.length > 0)
  if (wrong.length === 0) return null
  const general = wrong.filter(([name]) => name === '').flatMap(([, messages]) => messages)
  const named = wrong.filter(([name]) => name !== '')
  return (
    <Notice about={errors} title={general[0] ?? 'Something here needs another look.'}>
      {general.slice(1).map((message) => (
        <p key={message}>{message}</p>
      ))}
      {named.length > 0 ? (
        <ul>
          {named.map(([name, messages]) => (
            <li key={name}>
              {fields[name] ? (
                <a href={`#${fields[name]}`} className="link link-alone">
                  {messages.join(' ')}
                </a>
              ) : (
                messages.join(' ')
              )}
            </li>
          ))}
        </ul>
      ) : null}
    </Notice>
  )
}
