export { dux } from '../crud/features/dialect/dux.js'
