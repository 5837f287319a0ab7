import type { Request, Response } from 'express'
import type { z } from 'zod'
import type { Rules } from '../validate/rules.js'
import type { ActionParts, Extension, ResourceParts } from '../routing/extension.js'
import type { ActionTraits, GroupTraits, ResourceTraits } from './declaration.js'
import type { ActionName } from './mounted.js'

/** A group without its types. */
export interface Group extends GroupTraits {
  readonly route: string
  readonly name?: string | undefined
}

/** A declaration without its types, as the functions that mount it see it. */
export interface Declaration extends ResourceTraits<string> {
  readonly actions?: readonly ActionName[] | false | undefined
  readonly handlers?: Readonly<Partial<Record<ActionName, LooseAction>>> | undefined
  readonly custom?: Readonly<Record<string, LooseCustom>> | undefined
  readonly extension?: Extension<ResourceParts>
}

export interface LooseSpec extends ActionTraits {
  readonly input?: z.ZodType | Rules | undefined
  readonly query?: z.ZodType | Rules | undefined
  readonly output?: z.ZodType | undefined
  readonly handler: LooseHandler
  readonly extension?: Extension<ActionParts>
}

/** An action whose rules were converted to schemas. */
export interface ReadSpec extends LooseSpec {
  readonly input?: z.ZodType | undefined
  readonly query?: z.ZodType | undefined
}

/** The arguments are `never` since every handler has its own; the pipeline reads them before it calls the handler. */
export type LooseHandler = (req: Request, res: Response, args: never) => unknown
export type LooseAction = LooseHandler | LooseSpec

export interface LooseCustom extends LooseSpec {
  readonly methods?: string | readonly string[]
  readonly route: string
}
