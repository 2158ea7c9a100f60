import type { InputHTMLAttributes, ReactNode, SelectHTMLAttributes } from 'react'
import { Sign } from './icons'

interface Described {
  /** Also the anchor that an error summary links to. */
  id: string
  name: string
  label: string
  help?: ReactNode
  errors?: string[]
}

/** What ties a control to its help and errors for people who don't see them beside it. */
function descriptions({ id, help, errors }: Pick<Described, 'id' | 'help' | 'errors'>) {
  const invalid = errors !== undefined && errors.length > 0
  const ids = [invalid ? `${id}-error` : '', help ? `${id}-help` : ''].filter(Boolean).join(' ')
  return { 'aria-invalid': invalid || undefined, 'aria-describedby': ids || undefined }
}

export function FieldErrors({ id, errors }: { id: string; errors?: string[] }) {
  if (!errors || errors.length === 0) return null
  return (
    <p id={`${id}-error`} className="mt-1.5 flex gap-1.5 text-failed">
      <span className="mt-0.5">
        <Sign name="alert" />
      </span>
      <span>{errors.join(' ')}</span>
    </p>
  )
}

function Help({ id, children }: { id: string; children?: ReactNode }) {
  if (!children) return null
  return (
    <p id={`${id}-help`} className="mt-1.5 text-small text-soft">
      {children}
    </p>
  )
}

function Label({ htmlFor, children }: { htmlFor: string; children: ReactNode }) {
  return (
    <label htmlFor={htmlFor} className="mb-1.5 block font-strong">
      {children}
    </label>
  )
}

type Own = keyof Described
type FieldProps = Described & Omit<InputHTMLAttributes<HTMLInputElement>, Own>

/** A labelled line of text. Errors stand beneath it, before the help, and belong to it for every reader. */
export function Field({ id, name, label, help, errors, ...input }: FieldProps) {
  return (
    <div>
      <Label htmlFor={id}>{label}</Label>
      <input id={id} name={name} className="control" {...descriptions({ id, help, errors })} {...input} />
      <FieldErrors id={id} errors={errors} />
      <Help id={id}>{help}</Help>
    </div>
  )
}

type SelectProps = Described & Omit<SelectHTMLAttributes<HTMLSelectElement>, Own> & { children: ReactNode }

export function Select({ id, name, label, help, errors, children, ...select }: SelectProps) {
  return (
    <div>
      <Label htmlFor={id}>{label}</Label>
      <select id={id} name={name} className="control" {...descriptions({ id, help, errors })} {...select}>
        {children}
      </select>
      <FieldErrors id={id} errors={errors} />
      <Help id={id}>{help}</Help>
    </div>
  )
}

export function Checkbox({ id, name, label, help, errors, ...input }: FieldProps) {
  return (
    <div>
      <label htmlFor={id} className="flex min-h-11 items-center gap-3 py-2">
        <input
          id={id}
          name={name}
          type="checkbox"
          value="on"
          className="tick"
          {...descriptions({ id, help, errors })}
          {...input}
        />
        <span>{label}</span>
      </label>
      <div className="ps-8">
        <FieldErrors id={id} errors={errors} />
        {help ? (
          <p id={`${id}-help`} className="text-small text-soft">
            {help}
          </p>
        ) : null}
      </div>
    </div>
  )
}

/** The native input is drawn as an area large enough to drop files on, which browsers take without a script. */
export function FileInput({ id, name, label, help, errors, ...input }: FieldProps) {
  return (
    <div>
      <Label htmlFor={id}>{label}</Label>
      <input
        id={id}
        name={name}
        type="file"
        className="control drop"
        {...descriptions({ id, help, errors })}
        {...input}
      />
      <FieldErrors id={id} errors={errors} />
      <Help id={id}>{help}</Help>
    </div>
  )
}
