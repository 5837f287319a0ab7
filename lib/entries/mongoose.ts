export { mongooseStore } from '../adapters/mongoose/mongoose-store.js'
export type { MongooseModel, MongooseRow, MongooseStoreOptions } from '../adapters/mongoose/mongoose-store.js'
export { fromMongoose } from '../adapters/mongoose/from-mongoose.js'
export type { MongooseOptions, MongooseQuery } from '../adapters/mongoose/from-mongoose.js'
