import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { Aggregator, Query, updateOne } from 'mingo'
import mongoose from 'mongoose'

const { deserialize, Long, serialize } = mongoose.mongo.BSON

/*
 * A stand-in for MongoDB, which no package that this project can install contains. mongoose and its driver are the real
 * ones, and speak the wire protocol with it over TCP; `mingo` evaluates filters, aggregations and changes. Documents,
 * unique indexes and transactions (snapshots, and a write conflict where two meet) are written here by MongoDB's
 * manual.
 */

type Fields = Record<string, unknown>

interface Stored {
  readonly document: Fields
}

/** Documents by their `_id` as text; an entry is never changed, but replaced. */
type Documents = Map<string, Stored>

interface Index {
  readonly name: string
  readonly key: Fields
  /** Leaves out documents that have none of the paths. */
  readonly sparse?: boolean
}

interface Collection {
  documents: Documents
  readonly unique: Index[]
  /** The transaction that has written a document, until it ends. */
  readonly locks: Map<string, Transaction>
}

interface Transaction {
  readonly number: string
  /** What the transaction has seen of each collection when it began. */
  readonly before: Map<Collection, Documents>
  readonly now: Map<Collection, Documents>
  isOpen: boolean
}

class Failure extends Error {
  readonly fields: Fields

  constructor(code: number, codeName: string, errmsg: string, fields: Fields = {}) {
    super(errmsg)
    this.fields = { ok: 0, code, codeName, errmsg, ...fields }
  }
}

const transient = { errorLabels: ['TransientTransactionError'] }

const keyOf = (id: unknown): string => `${typeof id} ${String(id)}`

/** Starts a server on a free port; `isReplicaSet: false` makes one without transactions. */
export async function startMongod({ isReplicaSet = true } = {}) {
  const sockets = new Set<Socket>()
  const collections = new Map<string, Collection>()
  const transactions = new Map<string, Transaction>()
  const commands: string[] = []

  const collectionOf = (database: unknown, name: unknown): Collection => {
    const namespace = `${String(database)}.${String(name)}`
    const known = collections.get(namespace) ?? { documents: new Map(), unique: [], locks: new Map() }
    collections.set(namespace, known)
    return known
  }

  const transactionOf = (command: Fields): Transaction | undefined => {
    if (command.autocommit !== false) return undefined
    if (!isReplicaSet) {
      throw new Failure(
        20,
        'IllegalOperation',
        'Transaction numbers are only allowed on a replica set member or mongos',
      )
    }
    const session = Buffer.from((command.lsid as { id: { buffer: Uint8Array } }).id.buffer).toString('hex')
    const number = String(command.txnNumber)
    if (command.startTransaction === true) {
      transactions.set(session, { number, before: new Map(), now: new Map(), isOpen: true })
    }
    const found = transactions.get(session)
    if (found === undefined || found.number !== number || !found.isOpen) {
      throw new Failure(
        251,
        'NoSuchTransaction',
        `Given transaction number ${number} does not match any in-progress transactions`,
        transient,
      )
    }
    if (command.startTransaction === true) {
      // A snapshot is of one moment in all collections.
      for (const collection of collections.values()) snapshotOf(found, collection)
    }
    return found
  }

  const snapshotOf = (transaction: Transaction, collection: Collection): Documents => {
    const known = transaction.now.get(collection)
    if (known !== undefined) return known
    const now = new Map(collection.documents)
    transaction.before.set(collection, new Map(collection.documents))
    transaction.now.set(collection, now)
    return now
  }

  const end = (transaction: Transaction): void => {
    transaction.isOpen = false
    for (const { locks } of collections.values()) {
      for (const [key, owner] of locks) if (owner === transaction) locks.delete(key)
    }
  }

  const conflict = (): Failure =>
    new Failure(
      112,
      'WriteConflict',
      'Caused by :: Write conflict during plan execution and yielding is disabled.',
      transient,
    )

  /**
   * Replaces a document; a write outside of a transaction waits until the transaction that has written it has ended.
   */
  const write = async (
    collection: Collection,
    transaction: Transaction | undefined,
    key: string,
    document: Fields | undefined,
  ): Promise<void> => {
    if (transaction === undefined) {
      while (collection.locks.has(key)) await new Promise((resolve) => setTimeout(resolve, 2))
    } else {
      const owner = collection.locks.get(key)
      const isChanged = transaction.before.get(collection)?.get(key) !== collection.documents.get(key)
      if ((owner !== undefined && owner !== transaction) || isChanged) throw conflict()
      collection.locks.set(key, transaction)
    }
    const documents = transaction === undefined ? collection.documents : snapshotOf(transaction, collection)
    if (document !== undefined) {
      while (isTakenElsewhere(collection, transaction, key, document)) {
        if (transaction !== undefined) throw conflict()
        await new Promise((resolve) => setTimeout(resolve, 2))
      }
      checkUnique(collection, documents, key, document)
    }
    if (document === undefined) documents.delete(key)
    else documents.set(key, { document })
  }

  const hasSame = (documents: Documents, { key, sparse = false }: Index, own: string, document: Fields): boolean => {
    const paths = Object.keys(key)
    if (sparse && paths.every((path) => !Object.hasOwn(document, path))) return false
    const isSame = (stored: Stored): boolean =>
      paths.every((path) => keyOf(stored.document[path] ?? null) === keyOf(document[path] ?? null))
    return [...documents].some(([other, stored]) => other !== own && isSame(stored))
  }

  const checkUnique = (collection: Collection, documents: Documents, own: string, document: Fields): void => {
    const taken = collection.unique.find((index) => hasSame(documents, index, own, document))
    if (taken !== undefined) throw duplicate(taken.name, taken.key)
  }

  /** True where another transaction has added a unique value and not committed it. */
  const isTakenElsewhere = (
    collection: Collection,
    transaction: Transaction | undefined,
    own: string,
    document: Fields,
  ): boolean => {
    const others = [...new Set(collection.locks.values())].filter((other) => other !== transaction)
    return collection.unique.some((index) =>
      others.some((other) => hasSame(other.now.get(collection) ?? new Map(), index, own, document))
    )
  }

  const duplicate = (name: string, keyPattern: Fields): Failure => (
    new Failure(
      11_000,
      'DuplicateKey',
      `E11000 duplicate key error collection: test.things index: ${name} dup key: { }`,
      { keyPattern, keyValue: {} },
    )
  )

  const insert = async (
    collection: Collection,
    transaction: Transaction | undefined,
    document: Fields,
  ): Promise<void> => {
    const key = keyOf(document._id)
    const documents = transaction === undefined ? collection.documents : snapshotOf(transaction, collection)
    if (documents.has(key)) throw duplicate('_id_', { _id: 1 })
    await write(collection, transaction, key, document)
  }

  const matching = (
    collection: Collection,
    transaction: Transaction | undefined,
    filter: Fields,
  ): [string, Fields][] => {
    const documents = transaction === undefined ? collection.documents : snapshotOf(transaction, collection)
    const query = new Query(filter)
    return [...documents].filter(([, { document }]) => query.test(document)).map((
      [key, { document }],
    ) => [key, document])
  }

  /** In a transaction a write that fails fails the command; outside it is reported beside it. */
  const writing = async (transaction: Transaction | undefined, work: () => Promise<Fields>): Promise<Fields> => {
    try {
      return { ok: 1, ...await work() }
    } catch (error) {
      if (!(error instanceof Failure) || error.fields.code !== 11_000) throw error
      return { ok: 1, n: 0, nModified: 0, writeErrors: [{ index: 0, ...error.fields }] }
    } finally {
      if (transaction?.isOpen === false) end(transaction)
    }
  }

  const handlers: Record<string, (command: Fields, transaction: Transaction | undefined) => Fields | Promise<Fields>> =
    {
      hello: () => ({
        ok: 1,
        isWritablePrimary: true,
        helloOk: true,
        maxBsonObjectSize: 16_777_216,
        maxMessageSizeBytes: 48_000_000,
        maxWriteBatchSize: 100_000,
        localTime: new Date(),
        logicalSessionTimeoutMinutes: 30,
        connectionId: 1,
        minWireVersion: 0,
        maxWireVersion: 25,
        readOnly: false,
        ...(isReplicaSet && { setName: 'rs0', hosts: [address()], me: address(), primary: address() }),
      }),
      ping: () => ({ ok: 1 }),
      endSessions: () => ({ ok: 1 }),
      create: () => ({ ok: 1 }),
      createIndexes: ({ $db, createIndexes, indexes }) => {
        for (const index of indexes as (Index & { unique?: boolean })[]) {
          const known = collectionOf($db, createIndexes).unique
          if (index.unique === true && !known.some(({ name }) => name === index.name)) known.push(index)
        }
        return { ok: 1 }
      },
      insert: ({ $db, insert: name, documents }, transaction) =>
        writing(transaction, async () => {
          for (const document of documents as Fields[]) await insert(collectionOf($db, name), transaction, document)
          return { n: (documents as Fields[]).length }
        }),
      update: ({ $db, update, updates }, transaction) =>
        writing(transaction, async () => {
          const collection = collectionOf($db, update)
          let n = 0
          for (const { q, u, multi = false } of updates as { q: Fields; u: Fields; multi?: boolean }[]) {
            const found = matching(collection, transaction, q).slice(0, multi ? undefined : 1)
            for (const [key, document] of found) {
              const copy = [structuredCopy(document)]
              updateOne(copy, {}, u as never)
              await write(collection, transaction, key, copy[0])
            }
            n += found.length
          }
          return { n, nModified: n }
        }),
      delete: ({ $db, delete: name, deletes }, transaction) =>
        writing(transaction, async () => {
          const collection = collectionOf($db, name)
          let n = 0
          for (const { q, limit } of deletes as { q: Fields; limit: number }[]) {
            const found = matching(collection, transaction, q).slice(0, limit === 0 ? undefined : limit)
            for (const [key] of found) await write(collection, transaction, key, undefined)
            n += found.length
          }
          return { n }
        }),
      find: ({ $db, find, filter = {}, limit = 0 }, transaction) => {
        const found = matching(collectionOf($db, find), transaction, filter as Fields).map(([, document]) => document)
        return cursorOf($db, find, limit === 0 ? found : found.slice(0, Math.abs(limit as number)))
      },
      aggregate: ({ $db, aggregate, pipeline }, transaction) => {
        const found = matching(collectionOf($db, aggregate), transaction, {}).map(([, document]) => document)
        return cursorOf($db, aggregate, new Aggregator(pipeline as never).run(found) as Fields[])
      },
      commitTransaction: (_command, transaction) => {
        if (transaction === undefined) throw new Failure(72, 'InvalidOptions', 'not in a transaction')
        for (const [collection, now] of transaction.now) {
          for (const [key, owner] of collection.locks) {
            const stored = owner === transaction ? now.get(key) : undefined
            if (stored !== undefined) collection.documents.set(key, stored)
            else if (owner === transaction) collection.documents.delete(key)
          }
        }
        end(transaction)
        return { ok: 1 }
      },
      abortTransaction: (_command, transaction) => {
        if (transaction !== undefined) end(transaction)
        return { ok: 1 }
      },
    }

  const cursorOf = (database: unknown, name: unknown, firstBatch: readonly Fields[]): Fields => (
    { ok: 1, cursor: { id: Long.ZERO, ns: `${String(database)}.${String(name)}`, firstBatch } }
  )

  const answer = async (command: Fields): Promise<Fields> => {
    const [name = ''] = Object.keys(command)
    commands.push(name)
    let transaction: Transaction | undefined
    try {
      const handler = handlers[name === 'isMaster' || name === 'ismaster' ? 'hello' : name]
      if (handler === undefined) throw new Failure(59, 'CommandNotFound', `no such command: '${name}'`)
      transaction = transactionOf(command)
      return await handler(command, transaction)
    } catch (error) {
      if (transaction !== undefined) end(transaction)
      if (error instanceof Failure) return error.fields
      return { ok: 0, code: 8, codeName: 'UnknownError', errmsg: String(error) }
    }
  }

  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket)).on('error', () => undefined)
    let pending = Buffer.alloc(0)
    socket.on('data', (chunk: Buffer) => {
      pending = Buffer.concat([pending, chunk])
      while (pending.length >= 4 && pending.length >= pending.readInt32LE(0)) {
        const message = pending.subarray(0, pending.readInt32LE(0))
        pending = pending.subarray(message.length)
        const [requestId, command] = [message.readInt32LE(4), commandIn(message)]
        void answer(command).then((reply) => socket.writable && socket.write(messageOf(requestId, reply)))
      }
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = (): string => `127.0.0.1:${(server.address() as AddressInfo).port}`

  return {
    url: `mongodb://${address()}/test?${isReplicaSet ? 'replicaSet=rs0' : 'directConnection=true'}`,
    commands,
    clear: () => {
      for (const collection of collections.values()) collection.documents = new Map()
    },
    /** Ends all connections, and the transactions on them. */
    endConnections: () => {
      transactions.forEach(end)
      sockets.forEach((socket) => socket.destroy())
    },
    stop: async () => {
      sockets.forEach((socket) => socket.destroy())
      server.close()
    },
  }
}

function structuredCopy(document: Fields): Fields {
  return deserialize(serialize(document), OPTIONS)
}

const OPTIONS = { promoteBuffers: false, useBigInt64: false }

/** Reads the command of a message, OP_MSG or, for the first `hello`, OP_QUERY. */
function commandIn(message: Buffer): Fields {
  if (message.readInt32LE(12) === 2004) {
    const start = message.indexOf(0, 20) + 1 + 8
    return deserialize(message.subarray(start, start + message.readInt32LE(start)), OPTIONS)
  }
  let command: Fields = {}
  const lists: Fields = {}
  for (let at = 20; at < message.length;) {
    const kind = message.readUInt8(at)
    const size = message.readInt32LE(at + 1)
    if (kind === 0) command = deserialize(message.subarray(at + 1, at + 1 + size), OPTIONS)
    else {
      const nameEnd = message.indexOf(0, at + 5)
      const documents: Fields[] = []
      for (let inner = nameEnd + 1; inner < at + 1 + size; inner += message.readInt32LE(inner)) {
        documents.push(deserialize(message.subarray(inner, inner + message.readInt32LE(inner)), OPTIONS))
      }
      lists[message.toString('utf8', at + 5, nameEnd)] = documents
    }
    at += 1 + size
  }
  return { ...command, ...lists }
}

/** Writes a reply: OP_MSG, which answers OP_QUERY too where the client offers `helloOk`. */
function messageOf(requestId: number, reply: Fields): Buffer {
  const body = serialize(reply)
  const head = Buffer.alloc(21)
  head.writeInt32LE(21 + body.length, 0)
  randomBytes(3).copy(head, 4)
  head.writeInt32LE(requestId, 8)
  head.writeInt32LE(2013, 12)
  return Buffer.concat([head, body])
}
