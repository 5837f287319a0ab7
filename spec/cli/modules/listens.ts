import express from 'express'

const app = express()
app.listen(0)
export default app
