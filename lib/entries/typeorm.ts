export { typeormStore } from '../adapters/typeorm/typeorm-store.js'
export type { TypeormDataSource, TypeormEntity, TypeormRow,
  TypeormStoreOptions } from '../adapters/typeorm/typeorm-store.js'
export { fromTypeorm } from '../adapters/typeorm/from-typeorm.js'
export type { TypeormQuery, TypeormRepository } from '../adapters/typeorm/from-typeorm.js'
