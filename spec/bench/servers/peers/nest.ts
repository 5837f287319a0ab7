import 'reflect-metadata'
import { Body, Catch, Controller, Get, HttpException, Injectable, Module, NotFoundException, Param, ParseIntPipe, Post,
  Query, SetMetadata, UseGuards, ValidationPipe, type ArgumentsHost, type CallHandler, type CanActivate,
  type ExceptionFilter, type ExecutionContext, type NestInterceptor, type Type,
  type ValidationError } from '@nestjs/common'
import { NestFactory, Reflector } from '@nestjs/core'
import { JwtModule, JwtService } from '@nestjs/jwt'
import type { NestExpressApplication } from '@nestjs/platform-express'
import { Transform, Type as ReadAs } from 'class-transformer'
import { IsIn, IsInt, IsString, Max, MaxLength, Min, MinLength } from 'class-validator'
import type { Request, Response } from 'express'
import { map, type Observable } from 'rxjs'
import { addPost, addThing, allThings, findPost, findThing, ROLES, searchPosts, SECRET, type Post as PostRow,
  type Start, type Thing } from '../data.js'

/*
 * NestJS on Express: classes as schemas, a pipe that validates, an interceptor for the envelope, a filter for errors,
 * guards.
 */

class NewPost {
  @MinLength(3, { message: 'must NOT have fewer than 3 characters' })
  @MaxLength(200, { message: 'must NOT have more than 200 characters' })
  title!: string

  @MinLength(1, { message: 'must NOT have fewer than 1 characters' })
  content!: string

  @IsIn(['news', 'guide', 'story'], { message: 'must be equal to one of the allowed values' })
  category!: 'news' | 'guide' | 'story'

  @IsInt({ message: 'must be integer' })
  status!: number
}

class PageQuery {
  @ReadAs(() => Number) @IsInt() @Min(1)
  page = 1

  @ReadAs(() => Number) @IsInt() @Min(1) @Max(100)
  limit = 20

  @Transform(({ value }) => value as unknown) @IsString() @MaxLength(200)
  search = ''
}

class NewThing {
  @MinLength(1, { message: 'must NOT have fewer than 1 characters' })
  name!: string
}

class Invalid extends HttpException {
  constructor(readonly fields: Readonly<Record<string, readonly string[]>>) {
    super(Object.values(fields)[0]?.[0] ?? 'Invalid', 422)
  }
}

/** Rows and their meta. */
class Rows<T> {
  constructor(readonly rows: readonly T[], readonly meta: object) {}
}

@Injectable()
class Envelope implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const { statusCode } = context.switchToHttp().getResponse<Response>()
    return next.handle().pipe(map((value: unknown) =>
      value instanceof Rows
        ? { code: statusCode, message: 'ok', data: value.rows, meta: value.meta }
        : { code: statusCode, message: 'ok', data: value, meta: {} }
    ))
  }
}

const REASONS: Readonly<Record<number, string>> = {
  401: 'token_invalid',
  403: 'forbidden',
  404: 'not_found',
  422: 'validation',
}

@Catch()
class Failures implements ExceptionFilter {
  catch(error: unknown, host: ArgumentsHost): void {
    const code = error instanceof HttpException ? error.getStatus() : 500
    const message = error instanceof HttpException ? error.message : 'Something went wrong'
    const reason = message === 'Authentication required' ? 'token_missing' : REASONS[code] ?? 'internal'
    const data = error instanceof Invalid ? error.fields : null
    host.switchToHttp().getResponse<Response>().status(code).json({ code, message, data, meta: { reason } })
  }
}

@Injectable()
class SignedIn implements CanActivate {
  constructor(private readonly jwt: JwtService) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<Request & { user?: { role?: string } }>()
    const [scheme, token] = request.headers.authorization?.split(' ') ?? []
    if (scheme !== 'Bearer' || token === undefined) throw new HttpException('Authentication required', 401)
    try {
      request.user = await this.jwt.verifyAsync(token)
    } catch {
      throw new HttpException('Sign in again', 401)
    }
    return true
  }
}

@Injectable()
class Allowed implements CanActivate {
  constructor(private readonly reflector: Reflector) {}

  canActivate(context: ExecutionContext): boolean {
    const permission = this.reflector.get<string>('permission', context.getHandler())
    const { user } = context.switchToHttp().getRequest<{ user?: { role?: string } }>()
    if (ROLES[user?.role ?? '']?.includes(permission) !== true) throw new HttpException('Not allowed', 403)
    return true
  }
}

const whole = new ParseIntPipe({
  errorHttpStatusCode: 422,
  exceptionFactory: () => new Invalid({ id: ['must be integer'] }),
})

@Controller('posts')
class Posts {
  @Get()
  list(@Query() { page, limit, search }: PageQuery): Rows<PostRow> {
    const rows = searchPosts(search)
    return new Rows(rows.slice((page - 1) * limit, page * limit), { total: rows.length, page, limit })
  }

  @Get(':id')
  show(@Param('id', whole) id: number): PostRow {
    return found(findPost(id))
  }

  @Post()
  create(@Body() post: NewPost): PostRow {
    return addPost(post)
  }
}

@Controller('admin/posts')
@UseGuards(SignedIn, Allowed)
class AdminPosts {
  @Get(':id')
  @SetMetadata('permission', 'admin.posts.show')
  show(@Param('id', whole) id: number): PostRow {
    return found(findPost(id))
  }
}

function thingsController(at: number): Type {
  @Controller(`things${at}`)
  class Things {
    @Get()
    list(): Thing[] {
      return allThings()
    }

    @Get(':id')
    show(@Param('id', whole) id: number): Thing {
      return found(findThing(id))
    }

    @Post()
    create(@Body() { name }: NewThing): Thing {
      return addThing(name)
    }
  }
  return Things
}

@Module({})
class App {}

function found<T>(value: T | undefined): T {
  if (value === undefined) throw new NotFoundException('Not found')
  return value
}

function toInvalid(errors: ValidationError[]): Invalid {
  return new Invalid(
    Object.fromEntries(errors.map(({ property, constraints = {} }) => [property, Object.values(constraints)])),
  )
}

export const start: Start = async (resources) => {
  const controllers = [Posts, AdminPosts, ...Array.from({ length: resources }, (_, at) => thingsController(at))]
  const module = { module: App, imports: [JwtModule.register({ secret: SECRET })], controllers }
  const app = await NestFactory.create<NestExpressApplication>(module, { logger: ['error', 'warn'] })
  app.disable('etag').disable('x-powered-by')
  app.useGlobalPipes(new ValidationPipe({ transform: true, whitelist: true, exceptionFactory: toInvalid }))
  app.useGlobalInterceptors(new Envelope())
  app.useGlobalFilters(new Failures())
  await app.listen(0, '127.0.0.1')
  return app.getHttpServer()
}
