import type { PageDocument } from './page.js'

/** A route where callers of an application sign in. */
export interface Login {
  readonly app: string
  readonly path: string
}

/**
 * Returns the script that starts Swagger UI: it keeps the reader's token in the browser, and uses no validator of
 * another host.
 *
 * The logo is removed because it has an inline style, which the policy refuses.
 */
export function startScript(documents: readonly PageDocument[], logins: readonly Login[]): string {
  const options = {
    dom_id: '#swagger-ui',
    deepLinking: true,
    filter: true,
    persistAuthorization: true,
    tryItOutEnabled: true,
    validatorUrl: null,
    queryConfigEnabled: false,
    ...(documents.length === 1 ? { url: documents[0]?.url } : { urls: documents, layout: 'StandaloneLayout' }),
  }
  return `const logins = ${asScript(logins)}
${BROWSER_SCRIPT}
const ui = SwaggerUIBundle(Object.assign(${asScript(options)}, {
  presets: [SwaggerUIBundle.presets.apis, SwaggerUIStandalonePreset],
  plugins: [page],
  onComplete: () => showLogins(ui),
}))
`
}

/** Two characters end a line in scripts of old browsers. */
function asScript(value: unknown): string {
  return JSON.stringify(value).replace(/[\u2028\u2029<]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/**
 * The part of the page that does not depend on the application. A policy restricts neither scripts that set styles nor
 * style sheets that a script constructs.
 */
const BROWSER_SCRIPT = `
const sheet = new CSSStyleSheet()
sheet.replaceSync(\`
  .errors > summary { cursor: pointer; padding: 10px 20px; font: bold 14px sans-serif; color: #3b4151 }
  .errors .opblock-section-header { display: none }
  .sign-in { max-width: 1460px; margin: 0 auto; padding: 10px 20px; font: 14px sans-serif; color: #3b4151 }
  html.dark-mode body { background: #1c2022 }
  html.dark-mode .errors > summary, html.dark-mode .sign-in { color: #e4e6e6 }
  .sign-in summary { cursor: pointer; font-weight: bold; padding: 5px 0 }
  .sign-in form { display: flex; flex-wrap: wrap; gap: 10px; align-items: end; padding: 5px 0 }
  .sign-in label { display: flex; flex-direction: column }
  .sign-in input, .sign-in button { font: inherit; padding: 5px 10px }
\`)
document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet]

// Errors are folded; the reply of "Execute" is above them.
const foldedErrors = (Responses, system) => (props) => {
  const h = system.React.createElement
  const isError = (_response, status) => !/^[123]/.test(status)
  const errors = props.responses.filter(isError)
  if (errors.size === 0) return h(Responses, props)
  return h('div', null,
    h(Responses, { ...props, responses: props.responses.filterNot(isError) }),
    h('details', { className: 'errors' },
      h('summary', null, 'Errors: ' + [...errors.keys()].join(', ')),
      h(Responses, { ...props, responses: errors, tryItOutResponse: null })))
}

// The filter finds paths, methods, summaries and operation ids, besides the names of tags.
const opsFilter = (tags, phrase) => {
  const wanted = phrase.toLowerCase()
  const fits = (operation) =>
    [operation.get('method'), operation.get('path'), operation.getIn(['operation', 'summary']),
      operation.getIn(['operation', 'operationId'])].join(' ').toLowerCase().includes(wanted)
  return tags
    .map((tag, name) => name.toLowerCase().includes(wanted) ? tag : tag.update('operations', (all) => all.filter(fits)))
    .filter((tag) => tag.get('operations').size > 0)
}

// A click on "Execute" deletes nothing that the reader has not named. A token of a provider is typed like any other.
const adapted = (spec) => {
  if (typeof spec !== 'object' || spec === null) return spec
  for (const { delete: operation } of Object.values(spec.paths ?? {})) {
    if (!operation) continue
    for (const parameter of operation.parameters ?? []) {
      delete parameter.example
      if (parameter.name === 'ids' && operation.requestBody) {
        parameter.required = true
        delete operation.requestBody
      }
    }
  }
  const schemes = spec.components?.securitySchemes ?? {}
  for (const [name, { type, description }] of Object.entries(schemes)) {
    if (type === 'openIdConnect') schemes[name] = { type: 'http', scheme: 'bearer', description }
  }
  return spec
}

const page = () => ({
  components: { Logo: () => null },
  wrapComponents: { responses: foldedErrors },
  fn: { opsFilter },
  statePlugins: {
    spec: { wrapActions: { updateJsonSpec: (update) => (spec) => update(adapted(spec)) } },
  },
})

// The fields of a login that a form can show: strings, numbers and booleans, whether or not they may be null.
const fieldsOf = (spec, path) => {
  let schema = spec.paths?.[path]?.post?.requestBody?.content?.['application/json']?.schema
  if (schema?.$ref) schema = spec.components.schemas[schema.$ref.split('/').at(-1)]
  const typesOf = ({ type, anyOf = [], enum: values }) =>
    [type, ...anyOf.map((option) => option.type), ...(values ?? []).map((value) => typeof value)].flat()
  const fields = Object.entries(schema?.properties ?? {}).flatMap(([name, property]) => {
    const type = typesOf(property).find((each) => ['string', 'number', 'integer', 'boolean'].includes(each))
    return type ? [{ name, type, required: (schema.required ?? []).includes(name) }] : []
  })
  const usual = ['email', 'password'].map((name) => ({ name, type: 'string', required: true }))
  return fields.length > 0 ? fields : usual
}

const inputFor = ({ name, type, required }) => {
  const isNumber = type === 'number' || type === 'integer'
  const textKind = /pass|secret|pin/i.test(name) ? 'password' : 'text'
  const kind = type === 'boolean' ? 'checkbox' : isNumber ? 'number' : textKind
  const input = document.createElement('input')
  if (isNumber) input.step = 'any'
  return Object.assign(input, { name, type: kind, required: required && type !== 'boolean' })
}

// An empty optional field is not sent.
const bodyOf = (form, fields) => Object.fromEntries(fields.flatMap(({ name, type, required }) => {
  const input = form.elements.namedItem(name)
  if (type === 'boolean') return required || input.checked ? [[name, input.checked]] : []
  if (input.value === '' && !required) return []
  return [[name, type === 'string' ? input.value : Number(input.value)]]
}))

const serverOf = (ui, spec) =>
  (ui.oas3Selectors?.selectedServer() || spec.servers?.[0]?.url || '').replace(/\\/+$/, '')

const problemIn = (reply, status) => {
  const faults = Object.entries(reply?.data ?? {}).map(([name, messages]) => name + ': ' + messages)
  return faults.join('. ') || (reply?.message ?? 'The reply has the status ' + status)
}

const tokenIn = (data) => {
  if (typeof data === 'string') return data
  const isToken = ([name, value]) => /token|jwt/i.test(name) && typeof value === 'string'
  return Object.entries(data ?? {}).find(isToken)?.[1]
}

const signIn = async (ui, { app, path }, body) => {
  const url = serverOf(ui, ui.specSelectors.specJson().toJS()) + path
  let response
  try {
    response = await fetch(url, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body })
  } catch {
    return { text: 'The server could not be reached' }
  }
  const reply = await response.json().catch(() => undefined)
  if (!response.ok) return { text: problemIn(reply, response.status) }
  const token = tokenIn(reply?.data ?? reply)
  if (!token) return { text: 'The reply has no token' }
  ui.preauthorizeApiKey(app, token)
  // Otherwise the page would send the token of an earlier visit after it is loaded again.
  ui.authActions.persistAuthorizationIfNeeded()
  return { text: 'Signed in', isSignedIn: true }
}

const loginForm = (ui, login, fields) => {
  const details = document.createElement('details')
  const summary = details.appendChild(document.createElement('summary'))
  summary.textContent = 'Sign in to ' + login.app
  const form = details.appendChild(document.createElement('form'))
  for (const field of fields) {
    const label = form.appendChild(document.createElement('label'))
    label.append(field.name, inputFor(field))
  }
  const button = form.appendChild(document.createElement('button'))
  button.textContent = 'Sign in'
  const outcome = form.appendChild(document.createElement('output'))
  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    outcome.textContent = ''
    const { text, isSignedIn } = await signIn(ui, login, JSON.stringify(bodyOf(form, fields)))
    outcome.textContent = text
    if (isSignedIn) form.reset()
  })
  return details
}

const showLogins = (ui) => {
  const spec = ui.specSelectors.specJson().toJS()
  const schemes = spec.components?.securitySchemes ?? {}
  const place = document.querySelector('.sign-in') ?? document.createElement('section')
  place.className = 'sign-in'
  place.replaceChildren(
    ...logins.filter(({ app }) => schemes[app]).map((login) => loginForm(ui, login, fieldsOf(spec, login.path))))
  document.querySelector('#swagger-ui').before(place)
}
`
