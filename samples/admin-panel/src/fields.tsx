import Avatar from '@mui/material/Avatar'
import Chip from '@mui/material/Chip'
import { DateField, useRecordContext } from 'react-admin'
import type { User } from './records.ts'

interface Choice {
  readonly id: number
  readonly name: string
}

/** Shows a status by its name; the first choice stands out. */
export function StatusField({ choices }: { choices: readonly Choice[] }) {
  const record = useRecordContext<{ id: number; status: number }>()
  if (record === undefined) return null
  const choice = choices.find(({ id }) => id === record.status)
  return (
    <Chip size='small' variant='outlined' label={choice?.name ?? record.status}
      color={choice === choices[0] ? 'success' : 'default'} />
  )
}

export function CreatedField() {
  return <DateField source='createdAt' showTime locales='en-GB' options={{ dateStyle: 'medium', timeStyle: 'short' }} />
}

/** Shows the avatar of a user, or the first letter of the name. */
export function AvatarField({ size = 32 }: { size?: number }) {
  const user = useRecordContext<User>()
  if (user === undefined) return null
  return (
    <Avatar src={user.avatarUrl ?? undefined} alt={`Avatar of ${user.name}`}
      sx={{ width: size, height: size, fontSize: size / 2 }}
    >
      {user.name.charAt(0)}
    </Avatar>
  )
}
