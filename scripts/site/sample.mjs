/** A text as it comes from years of editing on different machines: all three kinds of line end, and trailing blanks. */
export const SAMPLE_NAME = 'field-notes.txt'

export const SAMPLE_TEXT = [
  'Field notes, copied together from three machines\r\n',
  '\r\n',
  'Gauge at the upper weir: 1.42 m  \r\n',
  'Gauge at the mill: 0.87 m\t\t\n',
  'The wheel turned from 06:10 to 18:45.   \r',
  'Größe der Schaufeln: 60 × 35 cm\u00a0\r',
  '\t Indented, and with a tab before the end\t \r\n',
  '\n',
  'No line end after this one',
].join('')
