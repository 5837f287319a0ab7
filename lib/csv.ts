export { sendCsv } from './csv/send-csv.js'

export type { CsvOptions } from './csv/send-csv.js'
export type { CsvColumns } from './csv/columns.js'
