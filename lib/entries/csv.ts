export { sendCsv } from '../core/csv/send-csv.js'

export type { CsvOptions } from '../core/csv/send-csv.js'
export type { CsvColumns } from '../core/csv/columns.js'
