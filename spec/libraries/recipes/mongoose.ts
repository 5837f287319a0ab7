import mongoose, { Schema, Types } from 'mongoose'

const connection = await mongoose.createConnection(process.env.RECIPE_URL ?? '', { serverApi: '1' }).asPromise()

interface ProjectFields {
  name: string
  memberIds: number[]
}
interface MemberFields {
  projectId: Types.ObjectId
  userId: number
}

export const Project = connection.model(
  'Project',
  new Schema<ProjectFields>({ name: { type: String, required: true }, memberIds: { type: [Number], required: true } }),
)
export const Member = connection.model(
  'Member',
  new Schema<MemberFields>({
    projectId: { type: Schema.Types.ObjectId, required: true },
    userId: { type: Number, required: true },
  }),
)
export const close = (): Promise<void> => connection.close()
