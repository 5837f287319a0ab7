import { DataTypes, Model, Sequelize, type CreationOptional, type InferAttributes,
  type InferCreationAttributes } from 'sequelize'

export const sequelize = new Sequelize(process.env.RECIPE_URL ?? '', { dialect: 'postgres', logging: false })

export class Project extends Model<InferAttributes<Project>, InferCreationAttributes<Project>> {
  declare id: CreationOptional<number>
  declare name: string
}
Project.init({
  id: { type: DataTypes.INTEGER, primaryKey: true, autoIncrement: true },
  name: { type: DataTypes.TEXT, allowNull: false },
}, { sequelize, tableName: 'projects', timestamps: false })

export class Member extends Model<InferAttributes<Member>, InferCreationAttributes<Member>> {
  declare projectId: number
  declare userId: number
}
Member.init({
  projectId: { type: DataTypes.INTEGER, primaryKey: true },
  userId: { type: DataTypes.INTEGER, primaryKey: true },
}, { sequelize, tableName: 'members', timestamps: false })

export const close = (): Promise<void> => sequelize.close()
