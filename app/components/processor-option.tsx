import { Checkbox, Field, Select } from './field'
import { counted } from './format'
import type { ProcessorChoice, ProcessorField } from './types'

interface ProcessorOptionProps {
  processor: ProcessorChoice
  checked: boolean
  values: Record<string, string>
  /** The values are what was sent: a box that isn't among them was left empty, whatever its default is. */
  sent: boolean
  errors: Record<string, string[]>
}

/** One processor to choose, with the questions that it asks when it is chosen. */
export function ProcessorOption({ processor, checked, values, sent, errors }: ProcessorOptionProps) {
  const { name, title, description, price, fields } = processor
  return (
    <li className="choice py-3">
      <label className="flex min-h-11 gap-3">
        <input type="radio" name="processor" value={name} defaultChecked={checked} className="tick" />
        <span>
          <span className="font-strong">{title}</span>
          {price > 0 ? <span> · {counted(price, 'credit', 'credits')}</span> : null}
          <span className="block text-small text-soft">{description}</span>
        </span>
      </label>
      {fields.length > 0 ? (
        <div className="choice-fields ps-8">
          <div className="grid gap-4 pt-2">
            {fields.map((field) => (
              <Parameter
                key={field.name}
                id={fieldId(name, field.name)}
                field={field}
                value={checked && (sent || field.name in values) ? (values[field.name] ?? '') : null}
                errors={checked ? errors[field.name] : undefined}
              />
            ))}
          </div>
        </div>
      ) : null}
    </li>
  )
}

interface ParameterProps {
  id: string
  field: ProcessorField
  /** Null: nothing was answered yet. */
  value: string | null
  errors: string[] | undefined
}

function Parameter({ id, field, value, errors }: ParameterProps) {
  const { name, label, help, kind, options = [], defaultValue } = field
  const described = { id, name, label, help, errors }
  switch (kind) {
    case 'checkbox':
      return (
        <Checkbox {...described} defaultChecked={value === null ? defaultValue === true : value === 'on'} />
      )
    case 'select':
      return (
        <Select {...described} defaultValue={value ?? String(defaultValue)}>
          {options.map((option) => (
            <option key={option.value} value={option.value}>
              {option.label}
            </option>
          ))}
        </Select>
      )
    case 'text':
      return <Field {...described} type="text" defaultValue={value ?? String(defaultValue)} />
  }
}

/** Two processors may ask for the same name: the id carries both. */
export function fieldId(processor: string, field: string): string {
  return `${processor}-${field}`
}
