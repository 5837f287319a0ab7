export { sequelizeStore } from '../adapters/sequelize/sequelize-store.js'
export type { SequelizeModel, SequelizeRow, SequelizeStoreOptions } from '../adapters/sequelize/sequelize-store.js'
export { fromSequelize } from '../adapters/sequelize/from-sequelize.js'
export type { SequelizeOptions, SequelizeQuery, SequelizeQueryModel } from '../adapters/sequelize/from-sequelize.js'
