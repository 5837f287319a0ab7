/** Writes the README of the project. */
export function documentFiles(context) {
  return { 'README.md': readme(context) }
}

const PLACES = {
  memory: 'Rows are kept in memory and are lost when the process ends.',
  pglite:
    'Rows are kept by PostgreSQL in the process ([PGlite](https://pglite.dev)), in the folder of `DATA_FOLDER`. With `DATABASE_URL` it uses a server. Tests have an empty database of their own, or the server of `TEST_DATABASE_URL`.',
  postgres:
    'Rows are kept by the PostgreSQL server of `DATABASE_URL`. Tests start an empty one in the process, or use the server of `TEST_DATABASE_URL`.',
}

function readme({ name, ext, isTs, auth, docs, docker, database, library, hasDatabase, when }) {
  return `# ${name}

An API on Express 5 with [resourcery](https://www.npmjs.com/package/resourcery). ${PLACES[database]}

\`\`\`sh
npm install
${when(library === 'prisma', 'npm run generate\n')}\
npm test
${
    when(database === 'postgres', `createdb notes
export DATABASE_URL=postgres://localhost/notes
npm run migrate
`)
  }npm run dev
\`\`\`

${auth ? signedIn : anonymous}
| command | what it does |
|---|---|
| \`npm run dev\` | serves, and starts again after each change |
${when(isTs, '| `npm run build` | compiles to `dist/` |\n')}\
| \`npm start\` | serves${isTs ? ' what was built' : ''} |
| \`npm test\`, \`npm run lint\` | the tests; ${isTs ? 'the compiler and ' : ''}ESLint |
${
    when(library === 'prisma',
      '| `npm run generate` | makes the client of Prisma; needed once, and after changes of the schema |\n')
  }\
${when(database === 'postgres', '| `npm run migrate` | runs the new files of `migrations/` |\n')}\
| \`npm run doctor\` | examines the app before it is served |
${when(docker, `| \`docker build -t ${name} .\` | an image${when(auth, '; it needs `AUTH_SECRET`')} |\n`)}
| file | content |
|---|---|
| \`src/notes.${ext}\` | the resource: what a client may write, and what it gets |
| \`src/app.${ext}\` | the app${when(docs, ', with its document at `/openapi.json` and page at `/docs`')} |
| \`src/database.${ext}\` | the store of the rows |
${when(hasDatabase, '| `migrations/` | the tables, as SQL, in the order of the names |\n')}\
| \`src/config.${ext}\` | the settings, from the environment or \`.env\`; \`.env.example\` lists them |
`
}

const anonymous = `\`\`\`sh
curl --json '{ "title": "Buy milk" }' localhost:3000/notes
curl 'localhost:3000/notes?search=milk'
\`\`\`
`

const signedIn = `\`\`\`sh
curl --json '{ "email": "ann@example.test", "password": "correct horse" }' localhost:3000/register
TOKEN=$(curl -s --json '{ "email": "ann@example.test", "password": "correct horse" }' localhost:3000/login | jq -r .data.token)
curl --json '{ "title": "Buy milk" }' -H "Authorization: Bearer $TOKEN" localhost:3000/notes
curl 'localhost:3000/notes?search=milk' -H "Authorization: Bearer $TOKEN"
\`\`\`
`
