import type { Request, Response } from 'express'
import { isMultipart } from '../request/content.js'
import { checkCount, checkFilled, checkNoText, checkRequired, checkSize, checkType, ruleOf } from './file-checks.js'
import { hasKeptFiles, keepFiles } from './files-of.js'
import { contentOf, foreignFilesOf, fromMulter, isMulterFile, type MulterFile } from './multer-file.js'
import type { ReceivedFile } from './received-file.js'
import { RequestFiles } from './request-files.js'
import { listName, type FormRules } from './rules.js'
import { sniff } from './sniff.js'

/** Returns true if a multer of the application's own has read the form in front of `upload`. */
export function isReadByMulter(req: Request): boolean {
  const body: unknown = req.body
  return req.readableDidRead && !hasKeptFiles(req) && isMultipart(req) && typeof body === 'object' && body !== null
    && foreignFilesOf(req).every(isMulterFile)
}

/**
 * Keeps the files that multer has received for handlers.
 *
 * @throws the errors of a form that `upload` reads, for a file that does not comply with its rule.
 */
export async function keepMulterFiles(req: Request, res: Response, rules: FormRules): Promise<void> {
  const received = new Map<string, ReceivedFile[]>()
  const requestFiles = new RequestFiles(res)
  for (const file of foreignFilesOf(req).filter(isMulterFile)) {
    const name = listName(file.fieldname)
    const files = received.get(name) ?? []
    checkCount(name, ruleOf(rules, name), files.length)
    received.set(name, [...files, await acceptFile(file, name, rules, requestFiles)])
  }
  const form: { readonly body: object } = req
  for (const name of Object.keys(form.body)) checkNoText(rules, listName(name))
  checkRequired(received, rules)
  keepFiles(req, received)
}

async function acceptFile(
  file: MulterFile,
  name: string,
  rules: FormRules,
  files: RequestFiles,
): Promise<ReceivedFile> {
  const rule = ruleOf(rules, name)
  const content = contentOf(file)
  checkSize(name, rule, content.size)
  checkFilled(name, content.size)
  const kind = await sniff(content.head)
  checkType(name, rule, kind.type)
  return fromMulter(file, content, files, { kind, storageTimeout: rules.storageTimeout })
}
