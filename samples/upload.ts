import { tmpdir } from 'node:os'
import { join } from 'node:path'
import express from 'express'
import { errorHandler, findOrFail, localDisk, mountResource, notFound, param, RequestParam, serve,
  type Storage } from 'resourcery'
import { z } from 'zod'

// A form with a picture and some text. The picture is kept in a folder or, with STORAGE, where that module's storage keeps it: in S3, say.
interface Picture {
  title: string
  tags: string[]
  url: string
  /** In bytes. */
  size: number
}

const folder = localDisk(process.env.UPLOAD_DIR ?? join(tmpdir(), 'resourcery-sample-upload'), { baseUrl: '/files' })
const storage = process.env.STORAGE === undefined
  ? folder
  : (await import(process.env.STORAGE) as { default: Storage }).default
const pictures: Picture[] = []

const app = express()
app.use('/files', folder.serve())

mountResource(app, {
  route: '/pictures',
  name: 'pictures',
  handlers: {
    list: () => pictures,
    create: {
      files: { picture: { types: ['image/jpeg', 'image/png'], maxBytes: 20_000_000, required: true } },
      input: z.object({ title: z.string().min(2, 'Too short'), tags: param.list(z.string()).default([]) }),
      handler: async (req, res, { title, tags }) => {
        const file = findOrFail(RequestParam.file(req, 'picture'))
        const { url } = await file.saveTo(storage) // deleted again, should anything go wrong from here on
        const picture = { title, tags, url, size: file.size }
        pictures.push(picture)
        return picture
      },
    },
  },
})
app.use(notFound(), errorHandler())

const { url } = await serve(app, { port: Number(process.env.PORT ?? 3000), host: '127.0.0.1' })
console.log(`listening on ${url}`)
console.log(`  curl -F 'title=Me' -F 'tags[]=face' -F 'picture=@me.jpg' ${url}/pictures`)
