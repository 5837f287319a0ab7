import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'

const METHODS = ['get', 'post', 'put', 'patch', 'delete']

/** An OpenAPI document with a judge of its schemas; nothing else of the application is known. */
export class Document {
  #ajv = new Ajv2020({ strict: false, allErrors: false, logger: false })
  #validators = new Map()

  constructor(document) {
    this.document = document
    addFormats.default(this.#ajv)
    this.#ajv.addSchema({ $id: 'http://document/', ...document })
  }

  get operations() {
    return Object.entries(this.document.paths).flatMap(([path, item]) =>
      METHODS.filter((method) => item[method] !== undefined).map((method) => this.#operation(path, method, item))
    )
  }

  #operation(path, method, item) {
    const operation = item[method]
    const parameters = [...(item.parameters ?? []), ...(operation.parameters ?? [])].map((one) => this.resolve(one))
    const body = operation.requestBody === undefined ? undefined : this.resolve(operation.requestBody)
    const security = operation.security ?? this.document.security ?? []
    return { id: operation.operationId, path, method: method.toUpperCase(), parameters, body, security,
      responses: operation.responses }
  }

  /** Returns what a reference names; anything else is itself. */
  resolve(value) {
    return value?.$ref === undefined ? value : this.resolve(this.read(value.$ref))
  }

  read(reference) {
    return reference.slice(2).split('/').reduce((at, key) => at[key.replaceAll('~1', '/').replaceAll('~0', '~')],
      this.document)
  }

  /** Returns true if a schema of the document accepts a value. */
  holds = (schema, value) => this.errors(schema, value) === undefined

  errors(schema, value) {
    if (value === undefined) return 'no value'
    if (!this.#validators.has(schema)) this.#validators.set(schema, this.#ajv.compile(withPlaces(schema)))
    const validate = this.#validators.get(schema)
    return validate(value) ? undefined : this.#ajv.errorsText(validate.errors)
  }
}

/** References are relative to the document. */
function withPlaces(value) {
  if (Array.isArray(value)) return value.map(withPlaces)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).filter(([key]) => key !== 'discriminator').map((
      [key, inner],
    ) => [key, key === '$ref' && typeof inner === 'string' ? `http://document/${inner}` : withPlaces(inner)]),
  )
}
